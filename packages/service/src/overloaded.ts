import { Problem, unavailable } from '@billing/contracts/problem';

/** Returns whether writes are paused at the moment. */
export type IsOverloaded = () => boolean;

/** Whether the writes of a team are paused at the moment, since too many of its own events wait. */
export type IsTeamOverloaded = (teamId: string) => boolean;

/** The 503 for a write while the outbox holds too many unpublished events. The write was not started. */
export function overloaded(): Problem {
  return unavailable(
    'Writes are paused while the event backlog drains. Nothing was changed; send the request again later.',
    5,
  );
}

/** The 429 for what one team writes or sends while too many of its own events wait. Nothing was stored. */
export function teamOverloaded(): Problem {
  const message = "Too many of the team's events wait to be processed. Nothing was stored; send it again later.";
  return new Problem('rate_limited', 'rate_limited', message, { retryAfterSeconds: 5 });
}
