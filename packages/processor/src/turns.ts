import { setTimeout as pause } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Problem } from '@billing/contracts/problem';
import type { ProjectScope } from '@billing/contracts/ids';
import type { SyncError } from '@billing/contracts/resources/sync';
import { executeBound } from '@billing/database/bound-statement';
import { startLeaseLoop, type LeaseLoop } from '@billing/database/lease-loop';
import type { Logger } from 'pino';
import { ProcessorError } from './errors.ts';

/*
 * Long work on a team's account, such as a sync: a row with a status, on which a process works step by step while it holds
 * the lease. After each step the row says where it is, so that any process goes on from there.
 */

/** Longer than a step may take, with the retries of its calls to the processor. */
export const LEASE_SECONDS = 60;
/** The longest pause after a failure, in seconds. */
const LONGEST_PAUSE_SECONDS = 300;
/** About four hours of failures one after another. */
export const MAX_FAILURES = 50;
const TURN_MS = 2_000;
const PARALLEL = 4;
/** How often to look for work that is due, in milliseconds. */
const POLL_MS = 2_000;

/** A row that this process works on. */
export interface LongWork extends ProjectScope {
  readonly id: string;
  /** Failures one after another before this lease. */
  readonly failures: number;
  readonly leaseId: string;
}

type Held = Pick<LongWork, 'id' | 'leaseId'>;

/** The columns of work that has ended, but its status. */
export const ENDED = `finished_at = clock_timestamp(), due_at = null, lease_id = null`;

/**
 * Returns what sets columns of a row whose lease is held; `$1` and `$2` are its id and its lease. It returns false when the work
 * was canceled or deleted, or another copy has leased it: until the caller's transaction ends, nobody can do that.
 */
export const heldRows =
  (table: 'syncs' | 'price_migrations' | 'test_clocks') =>
  async (em: EntityManager, { id, leaseId }: Held, set: string, values: readonly unknown[]): Promise<boolean> => {
    const rows = await executeBound(em, `update ${table} set ${set} where id = $1 and lease_id = $2 returning 1`, [
      id,
      leaseId,
      ...values,
    ]);
    return rows.length > 0;
  };

/** How a step ended: where the work is by now, and how long to wait; `ended` when nothing is left to do. */
export type Stepped<Stage> = { readonly stage: Stage; readonly waitMs?: number } | 'ended';

interface TurnParts<Work extends LongWork, Stage extends object> {
  readonly em: EntityManager;
  readonly updateHeld: ReturnType<typeof heldRows>;
  /** What it is called in the log. */
  readonly name: string;
  /** For callers, when it failed for a reason that is only in the log. */
  readonly failedMessage: string;
  readonly stageOf: (work: Work) => Stage;
  /** The values of a stage by column. */
  readonly columnsOf: (stage: Stage) => Readonly<Record<string, unknown>>;
  /** One bounded part of the work, much shorter than the lease. Whatever it found is saved, and it may run twice. */
  readonly step: (work: Work, stage: Stage) => Promise<Stepped<Stage>>;
  /** How long it works before the work of other teams has its turn, in milliseconds; 2,000 unless given. */
  readonly turnMs?: number | undefined;
  readonly logger: Logger;
}

/**
 * Works step by step, to the end or for a turn. After each step the stage is saved, so the work goes on where it was after any
 * crash, and another copy may take it over. It stops when it is canceled or leased by another copy.
 */
export function workInTurns<Work extends LongWork, Stage extends object>(parts: TurnParts<Work, Stage>) {
  const { em, updateHeld, name, failedMessage, stageOf, columnsOf, step, turnMs = TURN_MS, logger } = parts;

  /** Saves where the work is and extends its lease; false when it is not held any more. */
  const saveStage = (work: Work, stage: Stage, failures: number): Promise<boolean> => {
    const columns = Object.entries(columnsOf(stage));
    const set = columns.map(([column], index) => `${column} = $${index + 4}`);
    return updateHeld(
      em.fork(),
      work,
      `status = 'running', started_at = coalesce(started_at, clock_timestamp()), failures = $3,
       due_at = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}), ${set.join(', ')}`,
      [failures, ...columns.map(([, value]) => value)],
    );
  };

  /** Releases the work behind the others that are due; after a failure it waits for a growing time. */
  const release = (work: Work, { hasFailed }: { readonly hasFailed: boolean }): Promise<boolean> => {
    const seconds = hasFailed ? Math.min(2 ** Math.min(work.failures, 20), LONGEST_PAUSE_SECONDS) : 0;
    const set = `lease_id = null, failures = failures + $4::int, due_at = clock_timestamp() + make_interval(secs => $3::float8)`;
    return updateHeld(em.fork(), work, set, [seconds, hasFailed ? 1 : 0]);
  };

  const run = async (work: Work, signal: AbortSignal): Promise<void> => {
    const endsAt = performance.now() + turnMs;
    let [stage, failures] = [stageOf(work), work.failures];
    for (let count = 0; await saveStage(work, stage, failures); count += 1) {
      if (signal.aborted || (count > 0 && performance.now() > endsAt))
        return void (await release(work, { hasFailed: false }));
      const stepped = await step(work, stage);
      if (stepped === 'ended') return;
      failures = 0;
      stage = stepped.stage;
      await pause(stepped.waitMs ?? 0);
    }
  };

  return async (work: Work, signal: AbortSignal): Promise<void> => {
    try {
      await run(work, signal);
    } catch (err) {
      logger.warn({ err, teamId: work.teamId, id: work.id }, `${name} interrupted`);
      if (isFinal(err) || work.failures >= MAX_FAILURES)
        await updateHeld(em.fork(), work, `status = 'failed', error = $3::jsonb, ${ENDED}`, [
          JSON.stringify(describeFailure(err, failedMessage)),
        ]);
      else await release(work, { hasFailed: true });
    }
  };
}

/** What the processor refuses, it refuses again; anything else is tried again with growing pauses. */
export function isFinal(err: unknown): boolean {
  if (err instanceof ProcessorError) return err.processorStatus !== undefined && err.processorStatus < 500;
  return err instanceof Problem && !err.isTransient;
}

/** Returns what callers see of a failure; `internal` is for one that is only in the log. */
export const describeFailure = (err: unknown, internal: string): SyncError =>
  err instanceof Problem ? { code: err.code, message: err.message } : { code: 'internal', message: internal };

interface TurnJobParts<Work> {
  /** What its loop is called in the log. */
  readonly name: string;
  /** Leases up to `limit` rows that are due. */
  readonly lease: (limit: number) => Promise<readonly Work[]>;
  readonly run: (work: Work, signal: AbortSignal) => Promise<void>;
  /** Works that one process runs at once; 4 unless given. */
  readonly parallel?: number;
  readonly logger: Logger;
}

/** Works on what is due until stopped; then it waits for another copy. Any number of copies may run it side by side. */
export function turnJob<Work>({ name, lease, run, parallel = PARALLEL, logger }: TurnJobParts<Work>) {
  const stopping = new AbortController();
  let loop: LeaseLoop | undefined;
  return {
    wake: () => loop?.wake(),
    start() {
      loop = startLeaseLoop<Work>({
        name,
        batchSize: parallel,
        parallel,
        lease,
        async work([work]) {
          if (work !== undefined) await run(work, stopping.signal);
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
