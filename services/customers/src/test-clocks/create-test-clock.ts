import { randomUUID } from 'node:crypto';
import { CustomerId, TestClockId, type ProjectScope } from '@billing/contracts/ids';
import { invalid, quotaExceeded, unavailable, unprocessable } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { MAX_CLOCKS, type testClockCreate } from '@billing/contracts/resources/test-clock';
import { executeBound } from '@billing/database/bound-statement';
import { nullIfMissing } from '@billing/processor/errors';
import type { OperationLog } from '@billing/processor/operation-log/operation-log';
import type { Processor } from '@billing/processor/port';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { TestClockSnapshot } from '@billing/processor/test-clocks';
import { changesOf } from '@billing/service/audit';
import { audited, pendingAuditOf, type AuditedKind } from '@billing/service/audited-operation';
import { derivedId } from '@billing/service/derived-id';
import { isMirrored } from '@billing/service/mirrored-rows';
import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { saveTestClock } from '#operations/save-customer.ts';
import { customers } from '#persistence/find-customer.ts';
import { publishClock, testClocks } from './clock-rows.ts';
import { TestClock, type LinkedClock } from './test-clock.entity.ts';

const input = z.object({
  name: z.string(),
  now: z.coerce.date(),
  /** A customer that exists, and its id at the processor. */
  customer: z.object({ id: CustomerId.schema, processorId: z.string() }).exactOptional(),
});
type Input = z.output<typeof input>;

/** @throws Problem 422 `live_mode` */
export function requireTestMode({ isLive }: Pick<Processor, 'isLive'>): void {
  if (isLive)
    throw unprocessable('live_mode', 'The account of the team is live: it has neither test clocks nor test cards.');
}

/** Creates a clock at the processor; until then its row is only reserved and not shown. */
export function createTestClockKind(now: () => Date) {
  const kind: AuditedKind<Input, TestClockSnapshot, LinkedClock> = {
    name: 'create-test-clock',
    input,
    send: (processor, { input: { customer, ...clock }, idempotencyKey }) =>
      processor.createTestClock({ ...clock, customerId: customer?.processorId }, idempotencyKey),
    // A customer who exists was on none before. Nothing marks any other clock as ours; one too many is deleted by itself.
    async findExisting(processor, { input: { name, customer } }) {
      const found = customer && (await processor.findCustomer(customer.processorId));
      if (!found || found.deleted || found.testClockId === null) return null;
      const clock = await processor.findTestClock(found.testClockId).catch(nullIfMissing);
      return clock?.name === name ? clock : null;
    },
    async commit(tx, operation, { id: processorId, now: time, deletesAt }, publish, cause) {
      const clock = await testClocks.lockRow(tx, operation, operation.resourceId);
      if (!clock) throw unavailable('The test clock is no longer reserved.');
      tx.assign(clock, { processorId, time, deletesAt, processorCreatedAt: now() });
      if (!isMirrored(clock)) throw new Error('The processor gave the test clock no id.');
      const { customer } = operation.input;
      if (customer) {
        const found = await customers.lockRow(tx, operation, customer.id);
        if (isMirrored(found) && !found.deletedAt) saveTestClock(publish, found, clock, { now: now(), cause });
      }
      publishClock(publish, clock);
      return clock;
    },
    async cancel(tx, { resourceId, teamId, projectId }) {
      await testClocks.deleteReserved(tx, { teamId, projectId }, resourceId);
    },
  };
  return audited(kind, { isCreation: true });
}

/** Has the clocks of a team counted and created by one transaction at a time. */
const lockQuota = (tx: EntityManager, { teamId }: ProjectScope) =>
  executeBound(tx, `select pg_advisory_xact_lock(hashtextextended('test-clocks/' || $1, 0))`, [teamId]);

interface Parts {
  readonly operationLog: OperationLog;
  readonly processors: TeamProcessors;
  readonly now: () => Date;
}

/**
 * Creates a test clock, with a customer on it if one is given. The same operation key gives the same clock.
 * @throws Problem 404 for the customer, 400 for one on a test clock; 422 `live_mode`, `quota_exceeded`; `processor_error` after a refusal, with nothing left
 * behind
 */
export function createTestClock({ operationLog, processors, now }: Parts) {
  const kind = createTestClockKind(now);
  return async (
    scope: ProjectScope,
    { name, now: wantedTime, customerId }: z.output<typeof testClockCreate>,
    context: AuditContext,
    operationKey: string = randomUUID(),
  ): Promise<LinkedClock> => {
    requireTestMode(await processors.of(scope.teamId));
    const id = derivedId(TestClockId, operationKey, 'test-clock');
    const request = {
      resourceId: id,
      operationKey,
      find: (em: EntityManager) => testClocks.findCreated(em, scope, id),
    };
    return operationLog.perform(kind, scope, request, async tx => {
      await lockQuota(tx, scope);
      const customer = customerId && (await customers.find(tx, scope, customerId));
      if (customer && customer.testClockId !== null)
        throw invalid([{ path: 'customerId', message: 'The customer is on a test clock already.' }]);
      const count = await tx.count(TestClock, { teamId: scope.teamId, deletedAt: null });
      if (count >= MAX_CLOCKS) throw quotaExceeded('test_clocks', MAX_CLOCKS);
      const createdAt = now();
      const time = new Date(Math.floor((wantedTime ?? createdAt).getTime() / 1_000) * 1_000);
      tx.create(TestClock, {
        ...scope,
        id,
        metadata: {},
        processorId: null,
        processorCreatedAt: null,
        processorUpdatedAt: null,
        awaitsWebhook: false,
        version: 1,
        sequence: 0,
        createdAt,
        deletedAt: null,
        name,
        time,
        target: null,
        until: null,
        operationKey: null,
        status: 'ready',
        error: null,
        deletesAt: createdAt,
        startedAt: null,
        finishedAt: null,
        dueAt: null,
        leaseId: null,
        failures: 0,
      });
      const fields = { name, now: time.toISOString(), ...(customerId && { customerId }) };
      const audit = pendingAuditOf(context, {
        target: { type: 'test_clock', id },
        changes: changesOf(null, fields, []),
      });
      return {
        name,
        now: time,
        ...(customer && { customer: { id: customer.id, processorId: customer.processorId } }),
        audit,
      };
    });
  };
}
