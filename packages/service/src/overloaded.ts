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

/** The 503 for what one team sends while too many of its own events wait. Nothing was stored. */
export function teamOverloaded(): Problem {
  return unavailable(
    "Too many of the team's events wait to be processed. Nothing was stored; send the event again later.",
    5,
  );
}
