import { randomUUID } from 'node:crypto';
import type { ProjectScope, TestClockId } from '@billing/contracts/ids';
import { invalid, unprocessable } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { ClockTarget, testClockAdvance } from '@billing/contracts/resources/test-clock';
import type { Outbox } from '@billing/messaging/outbox';
import { missingOrThrow } from '@billing/processor/errors';
import type { Processor } from '@billing/processor/port';
import type { TeamProcessors } from '@billing/processor/team-processors';
import { changesOf, recordAudit } from '@billing/service/audit';
import type { z } from 'zod';
import { latestTarget, targetOf } from './advance.rules.ts';
import { requireReady, testClocks } from './clock-rows.ts';
import { requireTestMode } from './create-test-clock.ts';
import type { LinkedClock } from './test-clock.entity.ts';

interface Parts {
  readonly outbox: Outbox;
  readonly processors: TeamProcessors;
  readonly now: () => Date;
  /** A clock is to advance. */
  readonly wake: () => void;
}

/**
 * Has a clock advance to a time, or until something has happened; `run-advance.ts` does it. The same operation key advances it once.
 * @throws Problem 404; 400 for a time beyond two years; 409 `test_clock_advancing`; 422 `live_mode`, `time_not_ahead`,
 * `nothing_ahead`
 */
export function startAdvance({ outbox, processors, now, wake }: Parts) {
  return async (
    scope: ProjectScope,
    id: TestClockId,
    wanted: z.output<typeof testClockAdvance>,
    context: AuditContext,
    operationKey: string = randomUUID(),
  ): Promise<LinkedClock> => {
    const found = await testClocks.find(outbox.em.fork(), scope, id);
    if (found.operationKey === operationKey) return found;
    const processor = await processors.of(scope.teamId);
    requireTestMode(processor);
    requireReady(found);
    const until = 'until' in wanted ? wanted.until : null;
    const target = 'until' in wanted ? await findTarget(processor, found, wanted.until) : inWholeSeconds(wanted.to);
    const clock = await outbox.transaction(async (tx, publish) => {
      const row = await testClocks.lock(tx, scope, id);
      if (row.operationKey === operationKey) return row;
      requireReady(row);
      if (target <= row.time) throw unprocessable('time_not_ahead', `The test clock is at ${row.time.toISOString()}.`);
      if (target > latestTarget(row.time)) throw invalid([{ path: 'to', message: 'Is more than two years ahead.' }]);
      const advance = { status: 'queued', target, until, operationKey } as const;
      tx.assign(row, { ...advance, error: null, failures: 0, dueAt: now(), startedAt: null });
      const changes = changesOf(null, { target: target.toISOString(), ...(until && { until }) }, []);
      recordAudit(publish, scope.teamId, context, { target: { type: 'test_clock', id }, changes });
      return row;
    });
    wake();
    return clock;
  };
}

async function findTarget(processor: Processor, clock: LinkedClock, until: ClockTarget): Promise<Date> {
  const read = await readClocked(processor, clock.processorId).catch(missingOrThrow);
  const target = read === 'missing' ? null : targetOf(until, { time: clock.time, ...read });
  if (!target)
    throw unprocessable('nothing_ahead', `No subscription on the test clock comes to its ${until.replace('_', ' ')}.`);
  return target;
}

/** Reads what a clock's customers are to be billed, and when their drafts are finalized. */
export async function readClocked(processor: Processor, processorId: string) {
  const [customers, subscriptions] = await Promise.all([
    processor.listCustomersOnTestClock(processorId),
    processor.listSubscriptionsOnTestClock(processorId),
  ]);
  const invoices = await Promise.all(customers.map(({ id }) => processor.listInvoices(id)));
  const drafts = invoices
    .flat()
    .flatMap(({ status, finalizesAt }) => (status === 'draft' && finalizesAt ? [finalizesAt] : []));
  return { subscriptions, drafts };
}

const inWholeSeconds = (time: Date): Date => new Date(Math.floor(time.getTime() / 1_000) * 1_000);
