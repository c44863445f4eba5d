import { unavailable, type Problem } from '@billing/contracts/problem';

/** Returns whether writes are paused at the moment. */
export type IsOverloaded = () => boolean;

/** The 503 for a write while the outbox holds too many unpublished events. The write was not started. */
export function overloaded(): Problem {
  return unavailable(
    'Writes are paused while the event backlog drains. Nothing was changed; send the request again later.',
    5,
  );
}
