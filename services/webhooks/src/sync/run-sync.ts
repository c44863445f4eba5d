import { setTimeout as pause } from 'node:timers/promises';
import { Problem } from '@billing/contracts/problem';
import type { SyncError } from '@billing/contracts/resources/sync';
import { startLeaseLoop, type LeaseLoop } from '@billing/database/lease-loop';
import type { Outbox } from '@billing/messaging/outbox';
import { ProcessorError } from '@billing/processor/errors';
import type { IsOverloaded } from '@billing/service/overloaded';
import type { Logger } from 'pino';
import { nextStage, type SyncPhase } from '#domain/sync-stage.ts';
import { applyBatch } from './apply-batch.ts';
import { completeSync } from './complete-sync.ts';
import {
  ENDED,
  leaseSyncs,
  releaseSync,
  saveStage,
  updateHeld,
  type LeasedSync,
  type Step,
  type StepParts,
} from './lease-syncs.ts';
import { markBatch } from './mark-batch.ts';
import { findExtras, readPage, recheckBatch } from './read-objects.ts';
import { resolveEmails } from './resolve-emails.ts';

const TURN_MS = 2_000;
/** About four hours of failures one after another. */
const MAX_FAILURES = 50;

/** Syncs that one process runs at once, each of another team. */
const PARALLEL = 4;
/** How often to look for syncs that are due, in milliseconds. */
const POLL_MS = 2_000;
/** How often to look for reports of the night, in milliseconds. */
const NIGHTLY_MS = 60_000;

interface RunParts extends Omit<StepParts, 'pace'> {
  readonly outbox: Outbox;
  /** Requests to Stripe a second, for each sync. */
  readonly requestsPerSecond: number;
  /** How long a sync works before the syncs of other teams have their turn, in milliseconds; 2,000 unless given. */
  readonly turnMs?: number;
  readonly logger: Logger;
}

/**
 * Works on a leased sync, step by step, to its end or for a turn. Each step saves what it found, and then the stage is saved, so
 * a sync goes on where it was after any crash, and another copy may take it over. Stops when it is canceled or leased by
 * another copy.
 */
export function runSync(parts: RunParts) {
  const { em, outbox, requestsPerSecond, turnMs = TURN_MS, logger } = parts;
  const complete = completeSync(outbox);

  const run = async (sync: LeasedSync, signal: AbortSignal): Promise<void> => {
    const stepParts = { ...parts, pace: openPacer(requestsPerSecond) };
    const steps: Readonly<Record<SyncPhase, Step>> = {
      read: readPage(stepParts),
      extras: findExtras(stepParts),
      conflicts: resolveEmails(stepParts),
      recheck: recheckBatch(stepParts),
      apply: applyBatch(stepParts),
      mark: markBatch(stepParts),
    };
    const endsAt = performance.now() + turnMs;
    let { stage, failures } = sync;
    for (let count = 0; await saveStage(em, sync, stage, failures); count += 1) {
      if (signal.aborted || (count > 0 && performance.now() > endsAt))
        return void (await releaseSync(em, sync, { hasFailed: false }));
      const result = await steps[stage.phase](sync, stage);
      failures = 0;
      if (result !== 'done') {
        const { after = stage.after, waitMs = 0 } = result;
        stage = { ...stage, after };
        await pause(waitMs);
        continue;
      }
      const next = nextStage(sync, stage);
      if (!next) {
        await complete(sync);
        return logger.info({ teamId: sync.teamId, syncId: sync.id, mode: sync.mode }, 'sync completed');
      }
      stage = next;
    }
  };

  return async (sync: LeasedSync, signal: AbortSignal): Promise<void> => {
    try {
      await run(sync, signal);
    } catch (err) {
      const { teamId, id: syncId } = sync;
      logger.warn({ err, teamId, syncId, stage: sync.stage }, 'sync interrupted');
      if (isFinal(err) || sync.failures >= MAX_FAILURES)
        await updateHeld(em.fork(), sync, `status = 'failed', error = $3::jsonb, ${ENDED}`, [
          JSON.stringify(describe(err)),
        ]);
      else await releaseSync(em, sync, { hasFailed: true });
    }
  };
}

interface SyncJobParts extends RunParts {
  readonly queueNightly: () => Promise<unknown>;
  readonly isOverloaded: IsOverloaded;
}

/** Runs queued syncs until stopped; then they wait for another copy. Any number of copies may run it side by side. */
export function syncJob(parts: SyncJobParts) {
  const { em, queueNightly, isOverloaded, logger } = parts;
  const run = runSync(parts);
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

/** What Stripe refuses, it refuses again; anything else is tried again with growing pauses. */
function isFinal(err: unknown): boolean {
  if (err instanceof ProcessorError) return err.processorStatus !== undefined && err.processorStatus < 500;
  return err instanceof Problem && !err.isTransient;
}

const describe = (err: unknown): SyncError =>
  err instanceof Problem
    ? { code: err.code, message: err.message }
    : { code: 'internal', message: 'The sync failed; the log of the webhooks service says why.' };

/** Spaces requests evenly. */
function openPacer(perSecond: number): () => Promise<void> {
  let nextAt = 0;
  return async () => {
    const now = performance.now();
    const waitMs = nextAt - now;
    nextAt = Math.max(nextAt, now) + 1_000 / perSecond;
    if (waitMs > 0) await pause(waitMs);
  };
}
