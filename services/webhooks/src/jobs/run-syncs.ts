import type { EntityManager } from '@mikro-orm/postgresql';
import { startLeaseLoop, type LeaseLoop } from '@billing/database/lease-loop';
import type { IsOverloaded } from '@billing/service/overloaded';
import type { Logger } from 'pino';
import { leaseSyncs, type LeasedSync } from '#sync/lease-syncs.ts';

/** Syncs that one process runs at once, each of another team. */
const PARALLEL = 4;
/** How often to look for syncs that are due, in milliseconds. */
const POLL_MS = 2_000;
/** How often to look for reports of the night, in milliseconds. */
const NIGHTLY_MS = 60_000;

interface SyncJobParts {
  readonly em: EntityManager;
  readonly run: (sync: LeasedSync, signal: AbortSignal) => Promise<void>;
  readonly queueNightly: () => Promise<unknown>;
  readonly isOverloaded: IsOverloaded;
  readonly logger: Logger;
}

/** Runs queued syncs until stopped; then they wait for another copy. Any number of copies may run it side by side. */
export function syncJob({ em, run, queueNightly, isOverloaded, logger }: SyncJobParts) {
  const stopping = new AbortController();
  let loop: LeaseLoop | undefined;
  let nightlyAt = 0;
  return {
    wake: () => loop?.wake(),
    start() {
      loop = startLeaseLoop<LeasedSync>({
        name: 'syncs',
        batchSize: PARALLEL,
        parallel: PARALLEL,
        async lease(limit) {
          if (isOverloaded()) return [];
          if (performance.now() > nightlyAt) {
            nightlyAt = performance.now() + NIGHTLY_MS;
            await queueNightly();
          }
          return leaseSyncs(em, limit);
        },
        async work([sync]) {
          if (sync) await run(sync, stopping.signal);
          loop?.wake(); // it may have come to the end of its turn
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
