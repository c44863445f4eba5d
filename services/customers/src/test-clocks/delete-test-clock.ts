import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope, TestClockId } from '@billing/contracts/ids';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { Outbox, Publish } from '@billing/messaging/outbox';
import { nullIfMissing } from '@billing/processor/errors';
import type { OperationLog } from '@billing/processor/operation-log/operation-log';
import type { TeamProcessors } from '@billing/processor/team-processors';
import { audited, pendingAuditOf, type AuditedKind } from '@billing/service/audited-operation';
import { CAUSED_BY_SYSTEM } from '@billing/service/event-causes';
import { isMirrored } from '@billing/service/mirrored-rows';
import { z } from 'zod';
import { saveDeleted, type Change } from '#operations/save-customer.ts';
import { settleEmails } from '#operations/settle-emails.ts';
import { releaseIdentifiers } from '#persistence/customer-identifiers.ts';
import { findCustomersOn, publishClock, testClocks } from './clock-rows.ts';
import { requireTestMode } from './create-test-clock.ts';
import { TestClock, type LinkedClock } from './test-clock.entity.ts';

const input = z.object({ processorId: z.string() });
type Input = z.output<typeof input>;

/** Marks a clock and its customers as deleted: the processor has neither any more. */
export async function saveClockDeleted(
  tx: EntityManager,
  publish: Publish,
  clock: LinkedClock,
  change: Change,
): Promise<void> {
  const customers = await findCustomersOn(tx, clock, clock.id, { isLocked: true });
  for (const customer of customers) saveDeleted(tx, publish, customer, change);
  await settleEmails(tx, publish, await releaseIdentifiers(tx, customers), change);
  tx.assign(clock, { deletedAt: change.now, dueAt: null, leaseId: null, target: null, version: clock.version + 1 });
  publishClock(publish, clock);
}

/** Deletes a clock at the processor, which deletes its customers, and then here. */
export function deleteTestClockKind(now: () => Date) {
  const kind: AuditedKind<Input, 'deleted', true> = {
    name: 'delete-test-clock',
    input,
    async send(processor, { input: { processorId } }) {
      await processor.deleteTestClock(processorId);
      return 'deleted';
    },
    async findExisting(processor, { input: { processorId } }) {
      return (await processor.findTestClock(processorId).catch(nullIfMissing)) ? null : 'deleted';
    },
    async commit(tx, operation, _response, publish, cause) {
      const clock = await testClocks.lockRow(tx, operation, operation.resourceId);
      if (isMirrored(clock) && !clock.deletedAt) await saveClockDeleted(tx, publish, clock, { now: now(), cause });
      return true;
    },
    async cancel() {},
  };
  return audited(kind);
}

interface Parts {
  readonly operationLog: OperationLog;
  readonly processors: TeamProcessors;
  readonly now: () => Date;
}

/**
 * Deletes a clock with its customers, here and at the processor.
 * @throws Problem 404; 422 `live_mode`
 */
export function deleteTestClock({ operationLog, processors, now }: Parts) {
  const kind = deleteTestClockKind(now);
  return async (scope: ProjectScope, id: TestClockId, context: AuditContext, operationKey?: string): Promise<void> => {
    requireTestMode(await processors.of(scope.teamId));
    await operationLog.perform(kind, scope, { resourceId: id, operationKey }, async tx => {
      const { processorId } = await testClocks.lock(tx, scope, id);
      return { processorId, audit: pendingAuditOf(context, { target: { type: 'test_clock', id }, changes: [] }) };
    });
  };
}

/** Clocks of one run. */
const LIMIT = 100;

/** Marks clocks as deleted that the processor has deleted by itself, with their customers. */
export async function deleteExpiredClocks(outbox: Outbox, now: () => Date): Promise<void> {
  const expired = await outbox.em
    .fork()
    .find(TestClock, { deletedAt: null, processorId: { $ne: null }, deletesAt: { $lt: now() } }, { limit: LIMIT });
  for (const { id, teamId, projectId } of expired)
    await outbox.transaction(async (tx, publish) => {
      const clock = await testClocks.lockRow(tx, { teamId, projectId }, id);
      if (isMirrored(clock) && !clock.deletedAt)
        await saveClockDeleted(tx, publish, clock, { now: now(), cause: CAUSED_BY_SYSTEM });
    });
}
