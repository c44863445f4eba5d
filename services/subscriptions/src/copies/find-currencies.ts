import type { ProjectScope } from '@billing/contracts/ids';
import type { Dependencies } from '../dependencies.ts';
import type { SoldPrice } from './find-offer.ts';

/**
 * Finds the currencies that a price has an amount in, its own first. Whether it has others than that, only the processor knows: it
 * is asked where another one is wanted.
 * @throws Problem 409 `processor_not_connected`; what `findPrice` throws
 */
export function findCurrencies({ processors }: Pick<Dependencies, 'processors'>) {
  return async (
    { teamId }: ProjectScope,
    { currency, processorPriceId }: SoldPrice['price'],
    wanted: string | undefined,
  ): Promise<readonly string[]> => {
    if (currency !== undefined && (wanted === undefined || wanted === currency)) return [currency];
    const known = await (await processors.of(teamId)).findPrice(processorPriceId);
    return [known.currency, ...(known.currencyOptions?.keys() ?? [])];
  };
}
