import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import { setTimeout as rest } from 'node:timers/promises';
import { restAfter } from '@billing/messaging/rest';
import { claimDue, type ClaimedEvent } from './claim.ts';
import { tellUnsettled } from './tell-unsettled.ts';
import type { Asking } from './process-events.ts';

/** Events per claim. */
const BATCH = 4_000;
/** Errands to others under way at once. */
const MAX_ASKING = 32;
const LONGEST_PAUSE_MS = 5_000;
/** Events that come in within one look when they come in a flood, and how long such a look takes in milliseconds. */
const FLOOD = 50;
const LOOK_MS = 100;
/** For how long a flood is let come in before what it brought is worked off, in milliseconds. */
const LONGEST_FLOOD_MS = 5_000;

/** How often events that were not settled are looked for, in milliseconds. */
const TELL_EVERY_MS = 1_000;

interface WorkerParts {
  readonly em: EntityManager;
  readonly process: (events: readonly ClaimedEvent[]) => Promise<Asking[]>;
  readonly logger: Logger;
  /** How long to rest when nothing is due, in milliseconds. */
  readonly intervalMs?: number;
}

export interface Worker {
  /** There may be work: looks at once instead of after its rest. */
  readonly wake: () => void;
  /** An event has come in: wakes, too, and in a flood lets the next ones come in first. */
  readonly receive: () => void;
  /** Ends after what is in hand. */
  readonly stop: () => Promise<void>;
}

/** Works off due events until stopped. Any number of workers may run side by side, in one process or many. */
export function startWorker({ em, process, logger, intervalMs = 500 }: WorkerParts): Worker {
  const stopping = new AbortController();
  const asking = new Set<Promise<void>>();
  let wakeUp: () => void = () => undefined;
  let woken = false;
  let received = 0;
  let worksUntil = 0;
  let toldAt = 0;

  const pause = (ms: number) =>
    new Promise<void>(resolve => {
      if (woken || stopping.signal.aborted) return resolve();
      const timer = setTimeout(resolve, ms);
      wakeUp = () => (clearTimeout(timer), resolve());
    });

  const start = (errand: Asking): void => {
    const running = errand().finally(() => asking.delete(running));
    asking.add(running);
  };

  /**
   * Taking events in goes before working them off: the processor waits for its answer, and what is stored keeps. After
   * that they are worked off for as long, or a flood without end would leave none done.
   */
  const letIn = async (): Promise<void> => {
    const startedAt = performance.now();
    while (received >= FLOOD && performance.now() < startedAt + LONGEST_FLOOD_MS && !stopping.signal.aborted) {
      received = 0;
      await rest(LOOK_MS);
    }
    const endedAt = performance.now();
    worksUntil = 2 * endedAt - startedAt;
  };

  const workOnce = async (): Promise<number> => {
    const events = await claimDue(em, BATCH);
    // What was claimed before may be what the process died of: it must not take others along.
    const { again = [], first = [] } = Object.groupBy(events, ({ attempt }) => (attempt > 1 ? 'again' : 'first'));
    for (const group of [first, ...again.map(event => [event])]) {
      if (group.length > 0) for (const errand of await process(group)) start(errand);
    }
    while (asking.size > MAX_ASKING) await Promise.race(asking);
    return events.length;
  };

  const tellInTime = async (): Promise<void> => {
    if (performance.now() - toldAt < TELL_EVERY_MS) return;
    toldAt = performance.now();
    while ((await tellUnsettled(em, BATCH)) === BATCH);
  };

  const work = async (): Promise<void> => {
    let failures = 0;
    while (!stopping.signal.aborted) {
      woken = false;
      received = 0;
      const startedAt = performance.now();
      try {
        const count = await workOnce();
        await tellInTime();
        failures = 0;
        if (count === 0) await pause(intervalMs);
        else if (received >= FLOOD && startedAt >= worksUntil) await letIn();
        else if (count < BATCH) await restAfter(performance.now() - startedAt);
      } catch (err) {
        failures += 1;
        logger.warn({ err, failures }, 'due events not worked off, will try again');
        woken = false;
        await pause(Math.min(intervalMs * 2 ** failures, LONGEST_PAUSE_MS));
      }
    }
  };
  const working = work();

  const wake = () => {
    woken = true;
    wakeUp();
  };

  return {
    wake,
    receive: () => {
      received += 1;
      wake();
    },
    stop: async () => {
      stopping.abort();
      wakeUp();
      await working;
      await Promise.allSettled(asking);
    },
  };
}
