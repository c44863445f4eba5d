import type { Finding, Limits } from '../finding.ts';

/** An endpoint of a tenant that events wait for. */
export interface EndpointReading {
  readonly id: string;
  readonly teamId: string;
  readonly status: 'enabled' | 'failing';
  /** Positions between what it has and the newest event of its project. */
  readonly events: number;
  /** Since when it fails, or for how long the first of those events has waited, in seconds. */
  readonly seconds: number;
}

/** Finds endpoints that fail, and those whose cursor stands still although they do not. */
export function checkEndpoints(readings: readonly EndpointReading[], { waitingSeconds }: Limits): Finding[] {
  return readings
    .filter(({ seconds }) => seconds > waitingSeconds)
    .map(({ id: subject, teamId, status, events, seconds }) =>
      status === 'failing'
        ? {
            check: 'endpoint-fails',
            subject,
            problem: `The endpoint ${subject} of ${teamId} has failed for ${Math.round(seconds)} s; ${events} events wait.`,
            action: 'Its tenant sees why in the deliveries; after 120 hours it is disabled.',
          }
        : {
            check: 'endpoint-stands-still',
            subject,
            problem: `${events} events wait for ${subject} of ${teamId}, the first for ${Math.round(seconds)} s.`,
            action: 'See whether a copy of webhooks runs that delivers, and what its log says about leased work.',
          },
    );
}
