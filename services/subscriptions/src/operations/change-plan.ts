import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { SubscriptionChangeId, ProjectScope } from '@billing/contracts/ids';
import { unprocessable } from '@billing/contracts/problem';
import type { ProblemDetails } from '@billing/contracts/problem-details';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { MadeChange, PlanChange } from '@billing/contracts/resources/plan-change';
import { isRefused, paymentFailureOf } from '@billing/processor/errors';
import { STALE, type OperationKind, type RemoteOperation } from '@billing/processor/operation-log/operation-kind';
import type { Processor, SubscriptionSnapshot } from '@billing/processor/port';
import { changesOf } from '@billing/service/audit';
import { audited, pendingAuditOf, type WithAudit } from '@billing/service/audited-operation';
import { invoicesOf, outcomeOf, type KnownBy } from '#domain/made-change.ts';
import { requireMovable } from '#domain/price-migration.ts';
import { requireRunning } from '#domain/subscription.ts';
import { findInvoiceOfOperation } from '#persistence/find-invoice.ts';
import { findSubscription, type SubscriptionKey } from '#persistence/find-subscription.ts';
import type { Invoice } from '#persistence/invoice.entity.ts';
import { markScheduled } from '#persistence/migrated-subscriptions.ts';
import { enqueueIfOverdue } from '#persistence/subscription-rows.ts';
import { changesOf as futureOf, toResource, type Subscription } from '#persistence/subscription.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { toObject } from './change-at-processor.ts';
import { changeIdOf } from './change-ids.ts';
import { planTheChange } from './plan-the-change.ts';
import { planChangeInput, type PlanChangeInput, type PlannedChange } from './planned-change.ts';
import { prepareChange } from './prepare-change.ts';
import { problemOfRedemption } from './resolve-promotion-code.ts';
import { readChanged, saveChange, type ChangedAtProcessor } from './save-change.ts';
import { sendChange } from './send-change.ts';

/** A change of plan that was made, its invoice, and the subscription afterwards. */
export interface ChangedPlan {
  readonly change: MadeChange;
  readonly invoice: Invoice | null;
  readonly subscription: Subscription;
}

type Operation = RemoteOperation<PlanChangeInput>;

/**
 * Changes the plan of a subscription at the processor, now or at the end of the period. It is planned in the subscription's turn,
 * by what the change before it has left.
 */
export function changePlanKind(
  dependencies: Pick<Dependencies, 'em' | 'rpc' | 'processors' | 'now'>,
): OperationKind<WithAudit<PlanChangeInput>, ChangedAtProcessor, ChangedPlan> {
  const { now } = dependencies;
  const plan = planTheChange(dependencies);
  const save = saveChange({ now });
  const readCurrent = (processor: Processor, operation: Operation, em: EntityManager) =>
    readChanged({ processor, em, now, object: toObject(operation) }, snapshot =>
      invoicesOf(snapshot, knownBy(operation)),
    );

  return audited<PlanChangeInput, ChangedAtProcessor, ChangedPlan>({
    name: 'change-plan',
    input: planChangeInput,
    async prepare({ teamId, projectId, input }) {
      const { subscriptionId: id, customerId, wanted, migration } = input;
      const key = { id, ...(customerId !== undefined && { customerId }) };
      const check = (snapshot: SubscriptionSnapshot) =>
        migration && requireMovable(snapshot, migration.fromProcessorPriceId);
      return { ...input, plan: await plan({ teamId, projectId }, key, wanted, check) };
    },
    async send(processor, operation, em) {
      const { id, idempotencyKey, input } = operation;
      if (!input.plan) throw new Error('The change is sent before it is planned.');
      const place = { processor, em, now, object: toObject(operation) };
      return sendChange(place, { ...input.plan, changeId: changeIdOf(id), idempotencyKey });
    },
    async findExisting(processor, operation, em) {
      const current = await readCurrent(processor, operation, em);
      return outcomeOf(current.reread.snapshot, knownBy(operation)) ? current : null;
    },
    reread: readCurrent,
    async commit(tx, operation, response, publish, cause) {
      const saved = await save(tx, toObject(operation).scope, response, { publish, cause, operationKey: operation.id });
      if (saved === 'outdated') return STALE;
      const { subscriptionId, migration, plan: planned } = operation.input;
      const change = madeChange(saved.subscription, changeIdOf(operation.id), planned);
      if (migration) await markScheduled(tx, { ...migration, subscriptionId }, change);
      return { ...saved, change };
    },
    cancel: (tx, operation) => enqueueIfOverdue(tx, toObject(operation)),
  });
}

/**
 * Changes the plan of a subscription, now or at the end of its period. The same operation key is the same change; changes of one
 * subscription run one at a time.
 * @throws Problem what `planTheChange` throws; 422 `payment_failed` when it has to be paid, is not, and may not wait;
 * `processor_error` after another refusal, each with nothing changed; `unavailable` when the processor does not respond, and the
 * change may be made later
 */
export function changePlan(dependencies: Pick<Dependencies, 'em' | 'rpc' | 'processors' | 'operationLog' | 'now'>) {
  const { em, operationLog } = dependencies;
  const kind = changePlanKind(dependencies);
  const prepare = prepareChange(dependencies);

  return async (
    scope: ProjectScope,
    key: SubscriptionKey,
    wanted: PlanChange,
    context: AuditContext,
    operationKey: string = randomUUID(),
  ): Promise<ChangedPlan> => {
    const { id, status } = await findSubscription(em.fork(), scope, key);
    requireRunning(status);
    const find = async (reader: EntityManager) => {
      const subscription = await findSubscription(reader, scope, key);
      if (subscription.operationKey !== operationKey) return null;
      const invoice = await findInvoiceOfOperation(reader, scope, { subscriptionId: id, operationKey });
      const change = madeChange(subscription, changeIdOf(operationKey));
      return { change, invoice, subscription };
    };
    try {
      return await operationLog.perform(kind, scope, { resourceId: id, operationKey, find }, async tx => {
        const current = await findSubscription(tx, scope, key);
        requireRunning(current.status);
        const { priceId, quantity, items, promotionCode } = wanted;
        const changes = changesOf(toResource(current), { priceId, quantity, items, promotionCode });
        const audit = pendingAuditOf(context, { target: { type: 'subscription', id }, changes });
        const { processorSubscriptionId } = current;
        const { customerId } = key;
        const byWhom = customerId === undefined ? {} : { customerId };
        return { subscriptionId: id, processorSubscriptionId, ...byWhom, wanted, plan: null, audit };
      });
    } catch (err) {
      const failure = paymentFailureOf(err);
      // What refused it may be known by now: an end, for example, whose event has not arrived here.
      if (!failure && isRefused(err)) await prepare(scope, key, wanted);
      if (!failure) throw problemOfRedemption(err);
      const details = { ...failure } satisfies ProblemDetails['payment_failed'];
      throw unprocessable('payment_failed', 'The payment failed, and nothing has changed.', details);
    }
  };
}

/**
 * Returns how the change of an operation is known. Before a repeat of a request is planned, what an earlier run may have done is
 * searched for: only its mark tells it.
 */
function knownBy({ id, input: { plan } }: Operation): KnownBy {
  const unplanned = { items: [], isMarked: true, latestInvoiceId: null, replacesPending: false, change: {} };
  return { ...(plan ?? unplanned), changeId: changeIdOf(id) };
}

/** Returns a change as it stands; without a plan it was made by an earlier run of the same request. */
function madeChange(
  subscription: Subscription,
  changeId: SubscriptionChangeId,
  plan: PlannedChange | null = null,
): MadeChange {
  const { pendingChange, scheduledChange } = futureOf(subscription);
  const waits = pendingChange && (pendingChange.id === changeId || plan?.isMarked === false) ? pendingChange : null;
  if (waits) return { id: waits.id, status: 'pending_payment', items: waits.items, effectiveAt: null };
  if (scheduledChange?.id === changeId) {
    const { items, effectiveAt } = scheduledChange;
    return { id: changeId, status: 'scheduled', items, effectiveAt };
  }
  const items =
    plan?.items ??
    subscription.items.map(({ priceId, processorPriceId, quantity }) => ({ priceId, processorPriceId, quantity }));
  return { id: changeId, status: 'applied', items, effectiveAt: plan?.effectiveAt ?? subscription.updatedAt };
}
