import type { TeamId } from '@billing/contracts/ids';
import { startLeaseLoop, type LeaseLoop } from '@billing/database/lease-loop';
import { deliverTo, type DeliverParts } from './deliver.ts';
import { leaseEndpoints, TURNS, type LeasedEndpoint } from './endpoint-rows.ts';

/** Endpoints that one process sends to at once, with those that are kept for teams; those that hang or wait cost only memory. */
const PARALLEL = 2 * TURNS.ofAll;
const BATCH_SIZE = 100;
/** Bytes of bodies in memory, of all endpoints together and of one; one body always is. */
const [MAX_BYTES, MAX_BYTES_OF_ONE] = [64 * 1_048_576, 524_288];
/** How long requests that are on their way when the process closes may take; then whoever leases the endpoint repeats them. */
const CLOSE_MS = 3_000;
/** How often to look for endpoints that other copies have something for, in milliseconds. */
const POLL_MS = 500;

/** Sends events to endpoints until stopped. Any number of copies may run it side by side. */
export function deliveryJob(parts: Omit<DeliverParts, 'isCrowded' | 'maxBytes'>) {
  const { em, logger } = parts;
  let turns = 0;
  const byTeam = new Map<TeamId, number>();
  const count = (teamId: TeamId, by: 1 | -1): void => {
    turns += by;
    const own = (byTeam.get(teamId) ?? 0) + by;
    if (own > 0) byTeam.set(teamId, own);
    else byTeam.delete(teamId);
  };
  const deliver = deliverTo({
    ...parts,
    isCrowded: () => turns >= TURNS.ofAll,
    maxBytes: () => Math.min(Math.floor(MAX_BYTES / turns), MAX_BYTES_OF_ONE),
  });
  const [soon, now] = [new AbortController(), new AbortController()];
  const stopping = { soon: soon.signal, now: now.signal };
  let loop: LeaseLoop | undefined;
  return {
    /** Endpoints may have become due. */
    wake: () => loop?.wake(),
    start() {
      loop = startLeaseLoop<LeasedEndpoint>({
        name: 'webhook-endpoints',
        batchSize: BATCH_SIZE,
        parallel: PARALLEL,
        lease: limit => leaseEndpoints(em, limit, byTeam),
        async work([endpoint]) {
          if (!endpoint) return;
          count(endpoint.teamId, 1);
          await deliver(endpoint, stopping).finally(() => count(endpoint.teamId, -1));
          loop?.wake();
        },
        intervalMs: POLL_MS,
        logger,
      });
    },
    async stop() {
      soon.abort();
      const timer = setTimeout(() => now.abort(), CLOSE_MS);
      await loop?.stop();
      clearTimeout(timer);
    },
  };
}
