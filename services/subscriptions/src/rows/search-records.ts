import type { ProjectScope } from '@billing/contracts/ids';
import { SearchCustomers } from '@billing/contracts/rpc/calls';
import type { Dependencies } from '../dependencies.ts';
import { searchedAmounts } from './searched-amounts.rules.ts';

/** Properties of a row with the values that they may have. */
export type SearchedValues = Readonly<Record<string, readonly string[]>>;

/**
 * Returns what a row must have one of to be found by a search: one of the customers whom the text finds, or the amount that it
 * is, in the property of that name. Undefined without a search.
 */
export function searchRecords({ rpc }: Pick<Dependencies, 'rpc'>, amount: string) {
  return async (
    { teamId, projectId }: ProjectScope,
    search: string | undefined,
  ): Promise<readonly SearchedValues[] | undefined> => {
    if (search === undefined) return undefined;
    return [
      { customerId: await rpc.call(SearchCustomers, { teamId, projectId, search }) },
      ...searchedAmounts(search).map(it => ({ [amount]: [String(it.amount)], currency: it.currencies })),
    ];
  };
}
