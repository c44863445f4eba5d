import { setTimeout as pause } from 'node:timers/promises';
import { Problem } from '@billing/contracts/problem';
import type { SyncError } from '@billing/contracts/resources/sync';
import type { Outbox } from '@billing/messaging/outbox';
import { ProcessorError } from '@billing/processor/errors';
import type { Logger } from 'pino';
import { nextStage, type SyncPhase, type SyncStage } from '#domain/sync-stage.ts';
import { applyBatch } from './apply-batch.ts';
import { endSync } from './end-sync.ts';
import { findExtras } from './find-extras.ts';
import { failSync, releaseSync, saveStage, startSync, type LeasedSync } from './lease-syncs.ts';
import { markBatch } from './mark-batch.ts';
import { readPage } from './read-page.ts';
import { recheckBatch } from './recheck-batch.ts';
import { resolveEmails } from './resolve-emails.ts';
import type { Step, StepParts, StepResult } from './step.ts';
import { verifyBatch } from './verify-batch.ts';

/** How often a sync's place and lease are saved within a phase, in milliseconds. */
const SAVE_MS = 1_000;
/** About four hours of failures one after another. */
const MAX_FAILURES = 50;

interface RunParts extends Omit<StepParts, 'pace'> {
  readonly outbox: Outbox;
  /** Requests to Stripe a second, for each sync. */
  readonly requestsPerSecond: number;
  readonly logger: Logger;
}

/**
 * Runs a leased sync to its end, step by step. Each step saves what it found before the next one, so a sync goes on where it
 * was after any crash, and another copy may take it over. Stops at once when it is canceled or leased by another copy.
 */
export function runSync(parts: RunParts) {
  const { em, outbox, requestsPerSecond, logger } = parts;
  const end = endSync(outbox);

  const run = async (sync: LeasedSync, signal: AbortSignal): Promise<void> => {
    const steps = stepsOf({ ...parts, pace: openPacer(requestsPerSecond) });
    if (!(await startSync(em, sync))) return undefined;
    let saved = { stage: sync.stage, at: performance.now() };
    let stage: SyncStage | null = sync.stage;
    while (stage) {
      if (signal.aborted) return await releaseSync(em, sync, { hasFailed: false });
      const { next, after, waitMs = 0 }: StepResult = await steps[stage.phase](sync, stage);
      stage = next === 'again' ? { ...stage, ...(after !== undefined && { after }) } : nextStage(sync, stage);
      const at = performance.now();
      if (stage && (stage.type !== saved.stage.type || stage.phase !== saved.stage.phase || at - saved.at > SAVE_MS)) {
        if (!(await saveStage(em, sync, stage))) return undefined;
        saved = { stage, at };
      }
      if (waitMs > 0) await pause(waitMs);
    }
    await end(sync);
    logger.info({ teamId: sync.teamId, syncId: sync.id, mode: sync.mode }, 'sync completed');
    return undefined;
  };

  return async (sync: LeasedSync, signal: AbortSignal): Promise<void> => {
    try {
      await run(sync, signal);
    } catch (err) {
      const { teamId, id: syncId } = sync;
      logger.warn({ err, teamId, syncId, stage: sync.stage }, 'sync interrupted');
      if (isFinal(err) || sync.failures >= MAX_FAILURES) await failSync(em, sync, describe(err));
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
  verify: verifyBatch(parts),
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
