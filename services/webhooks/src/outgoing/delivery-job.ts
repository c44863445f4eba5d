import { startLeaseLoop, type LeaseLoop } from '@billing/database/lease-loop';
import { deliverTo, type DeliverParts } from './deliver.ts';
import { leaseEndpoints, type LeasedEndpoint } from './endpoint-rows.ts';

/** Endpoints that one process sends to at once; those that hang or wait cost only memory. */
const PARALLEL = 1_000;
const BATCH_SIZE = 100;
/** How often to look for endpoints that other copies have something for, in milliseconds. */
const POLL_MS = 500;

/** Sends events to endpoints until stopped. Any number of copies may run it side by side. */
export function deliveryJob(parts: Omit<DeliverParts, 'isCrowded'>) {
  const { em, logger } = parts;
  let turns = 0;
  const deliver = deliverTo({ ...parts, isCrowded: () => turns >= PARALLEL });
  const stopping = new AbortController();
  let loop: LeaseLoop | undefined;
  return {
    /** Endpoints may have become due. */
    wake: () => loop?.wake(),
    start() {
      loop = startLeaseLoop<LeasedEndpoint>({
        name: 'webhook-endpoints',
        batchSize: BATCH_SIZE,
        parallel: PARALLEL,
        lease: limit => leaseEndpoints(em, limit),
        async work([endpoint]) {
          if (!endpoint) return;
          turns += 1;
          await deliver(endpoint, stopping.signal).finally(() => (turns -= 1));
          loop?.wake();
        },
        intervalMs: POLL_MS,
        logger,
      });
    },
    async stop() {
      stopping.abort();
      await loop?.stop();
    },
  };
}
