import type { TestClockId } from '@billing/contracts/ids';
import { unprocessable } from '@billing/contracts/problem';
import type { ClockTarget } from '@billing/contracts/resources/test-clock';
import { leaseRows, type LeasedTable } from '@billing/database/lease-rows';
import type { Outbox } from '@billing/messaging/outbox';
import type { RpcClient } from '@billing/messaging/rpc';
import { missingOrThrow } from '@billing/processor/errors';
import { idempotencyKey } from '@billing/processor/idempotency-key';
import type { TeamProcessors } from '@billing/processor/team-processors';
import {
  ENDED,
  heldRows,
  LEASE_SECONDS,
  turnJob,
  workInTurns,
  type LongWork,
  type Stepped,
} from '@billing/processor/turns';
import { CAUSED_BY_SYSTEM } from '@billing/service/event-causes';
import { isMirrored } from '@billing/service/mirrored-rows';
import type { Logger } from 'pino';
import { latestStep, targetOf } from './advance.rules.ts';
import { applyTime, isNumbered } from './apply-time.ts';
import { testClocks } from './clock-rows.ts';
import { saveClockDeleted } from './delete-test-clock.ts';
import { readClocked } from './start-advance.ts';

const CLOCKS: LeasedTable = {
  table: 'test_clocks',
  key: ['id'],
  leaseSeconds: LEASE_SECONDS,
  columns: `id, team_id as "teamId", project_id as "projectId", processor_id as "processorId", failures, lease_id as "leaseId",
    jsonb_build_object('targetMs', (extract(epoch from target) * 1000)::float8, 'until', until) as stage`,
};

/** Where a clock is to go. */
interface Stage {
  /** In milliseconds since 1970. */
  readonly targetMs: number;
  readonly until: ClockTarget | null;
}

/** A clock that this process advances. */
export interface LeasedClock extends LongWork {
  readonly id: TestClockId;
  readonly processorId: string;
  readonly stage: Stage;
}

/** How long to wait until the processor is asked again whether the clock is there, in milliseconds. */
const POLL_MS = 300;

export const updateHeld = heldRows('test_clocks');

interface Parts {
  readonly outbox: Outbox;
  readonly rpc: RpcClient;
  readonly processors: TeamProcessors;
  readonly now: () => Date;
  readonly logger: Logger;
}

/**
 * Advances a clock at the processor in the steps that it allows. Once it is there, what its customers were billed is read anew and
 * recorded; it is ready when that has its events. Each step begins with what the processor says, so that any copy goes on
 * after a crash.
 */
export function runAdvance(parts: Parts) {
  const { outbox, processors, now, logger } = parts;
  const apply = applyTime(parts);
  const areNumbered = isNumbered(parts);

  const step = async (work: LeasedClock, { targetMs, until }: Stage): Promise<Stepped<Stage>> => {
    const { id, teamId, projectId, processorId } = work;
    const processor = await processors.of(teamId);
    const clock = await processor.findTestClock(processorId).catch(missingOrThrow);
    if (clock === 'missing') {
      await outbox.transaction(async (tx, publish) => {
        const row = await testClocks.lockRow(tx, { teamId, projectId }, id);
        if (isMirrored(row) && !row.deletedAt)
          await saveClockDeleted(tx, publish, row, { now: now(), cause: CAUSED_BY_SYSTEM });
      });
      return 'ended';
    }
    const stage = { targetMs, until };
    if (clock.status === 'failed')
      throw unprocessable('processor_error', 'The payment processor failed to advance the clock.');
    if (clock.status === 'advancing') return { stage, waitMs: POLL_MS };
    const time = clock.now;
    if (time.getTime() < targetMs) {
      const { subscriptions } = await readClocked(processor, processorId);
      const next = new Date(Math.min(targetMs, latestStep(time, subscriptions).getTime()));
      const key = idempotencyKey('advance-test-clock', id, `${time.getTime()}:${next.getTime()}`);
      await processor.advanceTestClock(processorId, next, key);
      return { stage };
    }
    if (until === 'next_invoice') {
      const { drafts } = await readClocked(processor, processorId);
      const finalizedAt = targetOf(until, { time, subscriptions: [], drafts });
      if (finalizedAt) return { stage: { until, targetMs: finalizedAt.getTime() } };
    }
    const customers = await apply(work, time);
    if (!customers) return 'ended';
    if (!(await areNumbered(work, customers))) return { stage };
    const isHeld = await updateHeld(
      outbox.em.fork(),
      work,
      `status = 'ready', target = null, until = null, ${ENDED}`,
      [],
    );
    if (isHeld) logger.info({ teamId, testClockId: id, now: time }, 'test clock is ready');
    return 'ended';
  };

  return workInTurns<LeasedClock, Stage>({
    em: outbox.em,
    updateHeld,
    name: 'test clock',
    failedMessage: 'The test clock failed; the log of the customers service says why.',
    stageOf: ({ stage }) => stage,
    columnsOf: ({ targetMs, until }) => ({ target: new Date(targetMs), until }),
    step,
    logger,
  });
}

/** Advances clocks until stopped. Copies of the service may run it side by side. */
export const advanceJob = (parts: Parts) =>
  turnJob<LeasedClock>({
    name: 'test-clocks',
    lease: async limit => (await leaseRows<LeasedClock>(parts.outbox.em, CLOCKS, limit)).rows,
    run: runAdvance(parts),
    logger: parts.logger,
  });
