import type { ProjectScope } from '@billing/contracts/ids';
import type { Dependencies } from '../dependencies.ts';
import type { SoldPrice } from './find-offer.ts';

/**
 * Finds the currencies that a price has an amount in, its own first. The processor is asked before one that is wanted is
 * missing: it may have been added there without an event that tells of it.
 * @throws Problem 409 `processor_not_connected`; what `findPrice` throws
 */
export function findCurrencies({ processors }: Pick<Dependencies, 'processors'>) {
  return async (
    { teamId }: ProjectScope,
    { currency, currencyOptions, processorPriceId }: SoldPrice['price'],
    wanted: string | undefined,
  ): Promise<readonly string[]> => {
    const recorded = currency === null ? [] : [currency, ...Object.keys(currencyOptions ?? {})];
    if (recorded.length > 0 && (wanted === undefined || recorded.includes(wanted))) return recorded;
    const known = await (await processors.of(teamId)).findPrice(processorPriceId);
    return [known.currency, ...(known.currencyOptions?.keys() ?? [])];
  };
}
