import { setTimeout as pause } from 'node:timers/promises';
import { callsAround } from './calls-around.ts';
import type { TeamProcessors } from './team-processors.ts';

/** Waits until the next request may be made. */
export type Pace = () => Promise<void>;

/** Spaces requests evenly. */
export function openPacer(perSecond: number): Pace {
  let nextAt = 0;
  return async () => {
    const now = performance.now();
    const waitMs = nextAt - now;
    nextAt = Math.max(nextAt, now) + 1_000 / perSecond;
    if (waitMs > 0) await pause(waitMs);
  };
}

/** Returns the processors of teams such that each call waits for the pace of its team first. */
export const pacedProcessors = (processors: TeamProcessors, paceOf: (teamId: string) => Pace): TeamProcessors => ({
  of: async (teamId, minVersion) => {
    const pace = paceOf(teamId);
    return callsAround(await processors.of(teamId, minVersion), async call => {
      await pace();
      return call();
    });
  },
});
