import { unavailable } from '@billing/contracts/problem';

/** Runs a call, or rejects it at once. */
export type Bulkhead = <Result>(call: () => Promise<Result>) => Promise<Result>;

/**
 * Lets at most `limit` calls run at the same time, and rejects more without waiting: a team whose processor is slow uses
 * up its own calls and takes nothing from other teams.
 * @throws Problem `unavailable` when the limit is reached
 */
export function createBulkhead(limit: number): Bulkhead {
  let running = 0;
  return async call => {
    if (running >= limit) throw unavailable('Too many calls to the payment processor are under way for this team.', 5);
    running += 1;
    try {
      return await call();
    } finally {
      running -= 1;
    }
  };
}
