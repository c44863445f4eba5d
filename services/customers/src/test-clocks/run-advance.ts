import { unprocessable } from '@billing/contracts/problem';
import type { Outbox } from '@billing/messaging/outbox';
import type { RpcClient } from '@billing/messaging/rpc';
import { missingOrThrow } from '@billing/processor/errors';
import { idempotencyKey } from '@billing/processor/idempotency-key';
import type { TeamProcessors } from '@billing/processor/team-processors';
import { ENDED, turnJob, workInTurns, type Stepped } from '@billing/processor/turns';
import { CAUSED_BY_SYSTEM } from '@billing/service/event-causes';
import { isMirrored } from '@billing/service/mirrored-rows';
import type { Logger } from 'pino';
import { latestStep, targetOf } from './advance.rules.ts';
import { applyTime, waitForEvents } from './apply-time.ts';
import { testClocks } from './clock-rows.ts';
import { saveClockDeleted } from './delete-test-clock.ts';
import { leaseClocks, updateHeld, type LeasedClock, type Stage } from './lease-clocks.ts';
import { isUsagePending } from './pending-usage.ts';
import { readClocked } from './start-advance.ts';

/** How long to wait until the processor is asked again whether the clock is there, in milliseconds. */
const POLL_MS = 300;

interface Parts {
  readonly outbox: Outbox;
  readonly rpc: RpcClient;
  readonly processors: TeamProcessors;
  readonly now: () => Date;
  /** How long a step waits for events, in milliseconds. */
  readonly numberedMs?: number;
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
  const numbered = waitForEvents(parts);

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
      if (await isUsagePending(outbox.em.fork(), work)) return { stage, waitMs: POLL_MS };
      const { subscriptions } = await readClocked(processor, processorId);
      const next = new Date(Math.min(targetMs, latestStep(time, subscriptions).getTime()));
      // What has failed is sent under another key: the processor repeats a failure that it has stored under one.
      const key = idempotencyKey('advance-test-clock', id, `${time.getTime()}:${next.getTime()}:${work.failures}`);
      await processor.advanceTestClock(processorId, next, key).catch(async (err: unknown) => {
        // It may advance all the same, or by a request from before.
        const found = await processor.findTestClock(processorId).catch(missingOrThrow);
        if (found !== 'missing' && found.status === 'ready' && found.now.getTime() === time.getTime()) throw err;
      });
      return { stage };
    }
    if (until === 'next_invoice') {
      const { drafts } = await readClocked(processor, processorId);
      const finalizedAt = targetOf(until, { time, subscriptions: [], drafts });
      if (finalizedAt) return { stage: { until, targetMs: finalizedAt.getTime() } };
    }
    const customers = await apply(work, time);
    if (!customers) return 'ended';
    await numbered(work, customers);
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
    lease: limit => leaseClocks(parts.outbox.em, limit),
    run: runAdvance(parts),
    logger: parts.logger,
  });
