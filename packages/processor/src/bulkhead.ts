import { unavailable } from '@billing/contracts/problem';

/** Runs a call, or refuses it at once. */
export type Bulkhead = <Result>(call: () => Promise<Result>) => Promise<Result>;

/**
 * Lets at most `places` calls run at the same time, and refuses those beyond without waiting: a team whose processor
 * is slow fills its own places and takes nothing from others.
 * @throws Problem `unavailable` when no place is free
 */
export function createBulkhead(places: number): Bulkhead {
  let taken = 0;
  return async call => {
    if (taken >= places) throw unavailable('Too many calls to the payment processor are under way for this team.', 5);
    taken += 1;
    try {
      return await call();
    } finally {
      taken -= 1;
    }
  };
}
