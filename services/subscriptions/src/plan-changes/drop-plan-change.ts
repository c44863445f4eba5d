import type { EntityManager } from '@mikro-orm/postgresql';
import { SubscriptionId, type ProjectScope, type SubscriptionChangeId } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { STALE, type OperationKind, type RemoteOperation } from '@billing/processor/operation-log/operation-kind';
import type { Processor } from '@billing/processor/port';
import { changesOf } from '@billing/service/audit';
import { audited, pendingAuditOf, type WithAudit } from '@billing/service/audited-operation';
import { z } from 'zod';
import { hasBegun, readManagingSchedule } from '#record/schedule.rules';
import { findSubscription, type SubscriptionKey, enqueueIfOverdue } from '#record/subscription-rows';
import type { Subscription } from '#record/subscription.entity';
import { toObject } from '#record/change-at-processor';
import type { Dependencies } from '../dependencies.ts';
import { findMigrating } from './change-ids.ts';
import { releaseSchedule } from './follow-subscription.ts';
import { saveChange } from './save.ts';
import { voidIfOpen } from '#money/void-if-open';
import { readChanged, type ChangedAtProcessor } from './send.ts';

const input = z.object({
  subscriptionId: SubscriptionId.schema,
  processorSubscriptionId: z.string(),
  /** The invoice that the pending change waits for; null when none is pending, or it is not prepared. */
  pendingInvoiceId: z.string().nullable(),
  /** Our schedule, if no change is pending. */
  scheduleId: z.string().nullable(),
  /** Whether the customer requests it, who cannot take back what a price migration has scheduled. */
  byCustomer: z.boolean(),
});
type Input = z.output<typeof input>;
type Operation = RemoteOperation<Input>;

/** What became of it. */
interface Dropped {
  readonly subscription: Subscription;
  /** False when there was nothing to drop: then the record is made true. */
  readonly isDropped: boolean;
}

/**
 * Takes back the change of a subscription that waits for its payment, whose invoice is voided; else the one that is scheduled,
 * whose schedule is released.
 */
export function dropPlanChangeKind({
  em,
  processors,
  now,
}: Pick<Dependencies, 'em' | 'processors' | 'now'>): OperationKind<WithAudit<Input>, ChangedAtProcessor, Dropped> {
  const save = saveChange({ now });
  const readCurrent = (processor: Processor, operation: Operation, reader: EntityManager) => {
    const { pendingInvoiceId } = operation.input;
    const place = { processor, em: reader, now, object: toObject(operation) };
    return readChanged(place, () => (pendingInvoiceId === null ? [] : [pendingInvoiceId]));
  };

  /** Whether a price migration has scheduled a change that a customer takes back. */
  const isProtected = async (
    { teamId, projectId, input: { subscriptionId, byCustomer } }: Operation,
    changeId: SubscriptionChangeId,
  ): Promise<boolean> =>
    byCustomer && (await findMigrating(em.fork(), { teamId, projectId }, [{ subscriptionId, changeId }])).size > 0;

  return audited<Input, ChangedAtProcessor, Dropped>(
    {
      name: 'drop-plan-change',
      input,
      async prepare(operation) {
        const processor = await processors.of(operation.teamId);
        const snapshot = await processor.findSubscription(toObject(operation).id);
        const { pendingUpdate, latestInvoiceId, scheduleId } = snapshot;
        const change = pendingUpdate ? null : readManagingSchedule(snapshot, null)?.change;
        const isScheduled = change && !hasBegun(change, snapshot) && !(await isProtected(operation, change.id));
        return {
          ...operation.input,
          pendingInvoiceId: pendingUpdate && latestInvoiceId,
          scheduleId: isScheduled ? scheduleId : null,
        };
      },
      async send(processor, operation, reader) {
        const { pendingInvoiceId, scheduleId } = operation.input;
        const { idempotencyKey: key } = operation;
        if (pendingInvoiceId !== null) await voidIfOpen(processor, pendingInvoiceId, key);
        if (scheduleId !== null) await releaseSchedule(processor, scheduleId, key);
        return readCurrent(processor, operation, reader);
      },
      async findExisting(processor, operation, reader) {
        const current = await readCurrent(processor, operation, reader);
        return isDone(current, operation.input) ? current : null;
      },
      reread: readCurrent,
      async commit(tx, operation, response, publish, cause) {
        const commit = { publish, cause, operationKey: operation.id };
        const saved = await save(tx, toObject(operation).scope, response, commit);
        if (saved === 'outdated') return STALE;
        return { subscription: saved.subscription, isDropped: isDone(response, operation.input) };
      },
      cancel: (tx, operation) => enqueueIfOverdue(tx, toObject(operation)),
    },
    { isRefusal: ({ isDropped }) => !isDropped },
  );
}

const isDone = ({ invoices, reread }: ChangedAtProcessor, { scheduleId }: Input): boolean =>
  invoices.some(({ snapshot }) => snapshot.status === 'void') ||
  (scheduleId !== null && reread.snapshot.scheduleId !== scheduleId);

/**
 * Takes back a change that waits for its payment, else the one that is scheduled. One that was paid meanwhile stays, and so does
 * one that a price migration has scheduled, if a customer requests it.
 * @throws Problem 404 `subscription_not_found`, `change_not_found`; 409 `processor_not_connected`; `processor_error` after a
 * refusal, with nothing changed; `unavailable` when the processor does not respond, and the change may be taken back later
 */
export function dropPlanChange(dependencies: Pick<Dependencies, 'em' | 'processors' | 'operationLog' | 'now'>) {
  const { em, operationLog } = dependencies;
  const kind = dropPlanChangeKind(dependencies);

  return async (scope: ProjectScope, key: SubscriptionKey, context: AuditContext): Promise<Subscription> => {
    const { id } = await findSubscription(em.fork(), scope, key);
    const { subscription, isDropped } = await operationLog.perform(kind, scope, { resourceId: id }, async tx => {
      const { processorSubscriptionId, pendingChange, schedule } = await findSubscription(tx, scope, key);
      const changes = pendingChange
        ? changesOf({ pendingChange: pendingChange.id }, { pendingChange: null })
        : changesOf({ scheduledChange: schedule?.change?.id ?? null }, { scheduledChange: null });
      const audit = pendingAuditOf(context, { target: { type: 'subscription', id }, changes });
      const byCustomer = key.customerId !== undefined;
      const unprepared = { pendingInvoiceId: null, scheduleId: null };
      return { subscriptionId: id, processorSubscriptionId, ...unprepared, byCustomer, audit };
    });
    if (!isDropped) throw notFound('change', 'There is no change of the subscription that can be taken back.');
    return subscription;
  };
}
