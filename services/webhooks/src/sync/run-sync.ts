import { setTimeout as pause } from 'node:timers/promises';
import { Problem } from '@billing/contracts/problem';
import type { SyncError } from '@billing/contracts/resources/sync';
import type { Outbox } from '@billing/messaging/outbox';
import { ProcessorError } from '@billing/processor/errors';
import type { Logger } from 'pino';
import { nextStage, type SyncPhase } from '#domain/sync-stage.ts';
import { applyBatch } from './apply-batch.ts';
import { completeSync } from './complete-sync.ts';
import { ENDED, releaseSync, saveStage, updateHeld, type LeasedSync } from './lease-syncs.ts';
import { markBatch } from './mark-batch.ts';
import { findExtras, readPage, recheckBatch } from './read-objects.ts';
import { resolveEmails } from './resolve-emails.ts';
import type { Step, StepParts } from './step.ts';

/** How long a sync works before the syncs of other teams have their turn, in milliseconds. */
const TURN_MS = 2_000;
/** About four hours of failures one after another. */
const MAX_FAILURES = 50;

interface RunParts extends Omit<StepParts, 'pace'> {
  readonly outbox: Outbox;
  /** Requests to Stripe a second, for each sync. */
  readonly requestsPerSecond: number;
  readonly logger: Logger;
}

/**
 * Works on a leased sync, step by step, to its end or for a turn. Each step saves what it found, and then the stage is saved, so
 * a sync goes on where it was after any crash, and another copy may take it over. Stops when it is canceled or leased by
 * another copy.
 */
export function runSync(parts: RunParts) {
  const { em, outbox, requestsPerSecond, logger } = parts;
  const complete = completeSync(outbox);

  const run = async (sync: LeasedSync, signal: AbortSignal): Promise<void> => {
    const steps = stepsOf({ ...parts, pace: openPacer(requestsPerSecond) });
    const endsAt = performance.now() + TURN_MS;
    let { stage, failures } = sync;
    while (await saveStage(em, sync, stage, failures)) {
      if (signal.aborted || performance.now() > endsAt) return void (await releaseSync(em, sync, { hasFailed: false }));
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

/** What Stripe refuses, it refuses again; anything else is tried again with growing pauses. */
function isFinal(err: unknown): boolean {
  if (err instanceof ProcessorError) return err.processorStatus !== undefined && err.processorStatus < 500;
  return err instanceof Problem && !err.isTransient;
}

const describe = (err: unknown): SyncError =>
  err instanceof Problem
    ? { code: err.code, message: err.message }
    : { code: 'internal', message: 'The sync failed; the log of the webhooks service says why.' };

const stepsOf = (parts: StepParts): Readonly<Record<SyncPhase, Step>> => ({
  read: readPage(parts),
  extras: findExtras(parts),
  conflicts: resolveEmails(parts),
  recheck: recheckBatch(parts),
  apply: applyBatch(parts),
  mark: markBatch(parts),
});

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
