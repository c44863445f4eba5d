import type { EventSubscriber } from '@mikro-orm/postgresql';
import { startLeaseLoop, type LeaseLoop } from '@billing/database/lease-loop';
import { hasMarks, markEnded } from '#persistence/state-marks.ts';
import type { Dependencies } from '../dependencies.ts';

const BATCH_SIZE = 200;
/** How late a change by time alone may be seen, and one that another process has committed. */
const INTERVAL_MS = 1_000;

interface TellingOptions extends Pick<Dependencies, 'em' | 'logger' | 'now'> {
  readonly tellStates: (limit: number) => Promise<void>;
}

/** Tells tenants of states that changed, until stopped. Copies of the service may run it side by side. */
export function startTellingStates({ em, tellStates, logger, now }: TellingOptions): LeaseLoop {
  const loop = startLeaseLoop({
    name: 'states',
    // A lease of its own would be one more commit of each change: the transaction that tells of the marks takes them.
    batchSize: 2,
    lease: async () => {
      await markEnded(em.fork(), now());
      return (await hasMarks(em.fork())) ? ['marks'] : [];
    },
    work: () => tellStates(BATCH_SIZE),
    intervalMs: INTERVAL_MS,
    logger,
  });
  // Any transaction of this process may have marked a state.
  const committed: EventSubscriber = { afterTransactionCommit: loop.wake };
  em.getEventManager().registerSubscriber(committed);
  return loop;
}
