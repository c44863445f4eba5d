import { runCatalog } from '#catalog/run-catalog';
import type { Outbox } from '@billing/messaging/outbox';
import { openPacer } from '@billing/processor/pacing';
import { turnJob, workInTurns, type Stepped } from '@billing/processor/turns';
import type { IsOverloaded } from '@billing/service/overloaded';
import type { Logger } from 'pino';
import { storageFull } from '../storage-quota.ts';
import { readStoredBytes } from '../stored-bytes.ts';
import { nextStage, type SyncPhase, type SyncStage } from './sync-stage.rules.ts';
import { applyBatch } from './apply-batch.ts';
import { completeSync } from './complete-sync.ts';
import { leaseSyncs, updateHeld, type LeasedSync, type Step, type StepParts } from './lease-syncs.ts';
import { markBatch } from './mark-batch.ts';
import { findExtras, readPage, recheckBatch } from './read-objects.ts';
import { resolveEmails } from './resolve-emails.ts';

/** How often to look for reports of the night, in milliseconds. */
const NIGHTLY_MS = 60_000;

interface RunParts extends Omit<StepParts, 'pace'> {
  readonly outbox: Outbox;
  /** Requests to Stripe a second, for each sync. */
  readonly requestsPerSecond: number;
  /** How many bytes a team may store: above it nothing more is read for it. */
  readonly quotaBytes: number;
  /** How long a sync works before the syncs of other teams have their turn, in milliseconds. */
  readonly turnMs?: number;
  readonly logger: Logger;
}

/** Works on a leased sync, to its end or for a turn. */
export function runSync(parts: RunParts) {
  const { em, outbox, requestsPerSecond, quotaBytes, turnMs, logger } = parts;
  const complete = completeSync(outbox);

  const stepsOf = (): ((sync: LeasedSync, stage: SyncStage) => Promise<Stepped<SyncStage>>) => {
    const stepParts = { ...parts, pace: openPacer(requestsPerSecond) };
    const steps: Readonly<Record<SyncPhase, Step>> = {
      read: readPage(stepParts),
      extras: findExtras(stepParts),
      conflicts: resolveEmails(stepParts),
      recheck: recheckBatch(stepParts),
      apply: applyBatch(stepParts),
      mark: markBatch(stepParts),
    };
    return async (sync, stage) => {
      if (stage.phase === 'read' && (await readStoredBytes(em.fork(), sync.teamId)) >= quotaBytes) throw storageFull();
      const result = await steps[stage.phase](sync, stage);
      if (result !== 'done') {
        const { after = stage.after, waitMs = 0 } = result;
        return { stage: { ...stage, after }, waitMs };
      }
      const next = nextStage(sync, stage);
      if (next) return { stage: next };
      await complete(sync);
      logger.info({ teamId: sync.teamId, syncId: sync.id, mode: sync.mode }, 'sync completed');
      return 'ended';
    };
  };

  const withDocument = runCatalog(parts);
  const withAccount = (sync: LeasedSync, signal: AbortSignal): Promise<void> =>
    workInTurns<LeasedSync, SyncStage>({
      em,
      updateHeld,
      name: 'sync',
      failedMessage: 'The sync failed; the log of the webhooks service says why.',
      stageOf: ({ stage }) => stage,
      columnsOf: ({ type, phase, after }) => ({ type, phase, after }),
      step: stepsOf(),
      turnMs,
      logger,
    })(sync, signal);
  return (sync: LeasedSync, signal: AbortSignal): Promise<void> =>
    sync.kind === 'catalog' ? withDocument(sync, signal) : withAccount(sync, signal);
}

interface SyncJobParts extends RunParts {
  readonly queueNightly: () => Promise<unknown>;
  readonly isOverloaded: IsOverloaded;
}

/** Runs queued syncs until stopped, each of another team. */
export function syncJob(parts: SyncJobParts) {
  const { em, queueNightly, isOverloaded, logger } = parts;
  let nightlyAt = 0;
  const lease = async (limit: number) => {
    if (isOverloaded()) return [];
    if (performance.now() > nightlyAt) {
      nightlyAt = performance.now() + NIGHTLY_MS;
      await queueNightly();
    }
    return leaseSyncs(em, limit);
  };
  return turnJob({ name: 'syncs', lease, run: runSync(parts), logger });
}
