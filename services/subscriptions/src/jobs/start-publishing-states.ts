import type { EventSubscriber } from '@mikro-orm/postgresql';
import { startLeaseLoop, type LeaseLoop } from '@billing/database/lease-loop';
import { hasMarks, markEnded } from '#persistence/state-marks.ts';
import type { Dependencies } from '../dependencies.ts';

const BATCH_SIZE = 200;
/** How late a change by time alone may be seen, and one that another process has committed. */
const INTERVAL_MS = 1_000;

interface PublishingOptions extends Pick<Dependencies, 'em' | 'logger' | 'now'> {
  readonly publishStates: (limit: number) => Promise<void>;
}

/** Publishes states that changed, until stopped. Copies of the service may run it side by side. */
export function startPublishingStates({ em, publishStates, logger, now }: PublishingOptions): LeaseLoop {
  const loop = startLeaseLoop({
    name: 'states',
    // A lease of its own would be one more commit of each change: the transaction that publishes the states takes them.
    batchSize: 2,
    lease: async () => {
      await markEnded(em.fork(), now());
      return (await hasMarks(em.fork())) ? ['marks'] : [];
    },
    work: () => publishStates(BATCH_SIZE),
    intervalMs: INTERVAL_MS,
    logger,
  });
  // Any transaction of this process may have marked a state.
  const committed: EventSubscriber = { afterTransactionCommit: loop.wake };
  em.getEventManager().registerSubscriber(committed);
  return loop;
}
