import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import {
  CustomerId,
  PriceMigrationId,
  SubscriptionId,
  type ProjectScope,
  type SubscriptionChangeId,
} from '@billing/contracts/ids';
import { unprocessable } from '@billing/contracts/problem';
import type { ProblemDetails } from '@billing/contracts/problem-details';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { withPriceIds } from '@billing/contracts/resources/price-reference';
import { planChange, type MadeChange, type PlanChange } from '@billing/contracts/resources/plan-change';
import { isRefused, paymentFailureOf } from '@billing/processor/errors';
import { STALE, type OperationKind, type RemoteOperation } from '@billing/processor/operation-log/operation-kind';
import type { Processor } from '@billing/processor/port';
import { changesOf } from '@billing/service/audit';
import { audited, pendingAuditOf, type WithAudit } from '@billing/service/audited-operation';
import { z } from 'zod';
import { problemOfRedemption } from '#copies/resolve-promotion-code';
import { findInvoiceOfOperation } from '#money/invoice-rows';
import type { Invoice } from '#money/invoice.entity';
import { markScheduled } from '#price-migrations/migrated-subscriptions';
import { requireMovable } from '#price-migrations/price-migration.rules';
import { toObject } from '#record/change-at-processor';
import { enqueueIfOverdue, findSubscription, type SubscriptionKey } from '#record/subscription-rows';
import { changesOf as futureOf, toResource, type Subscription } from '#record/subscription.entity';
import { requireRunning } from '#record/subscription.rules';
import type { Dependencies } from '../dependencies.ts';
import { changeIdOf } from './change-ids.ts';
import { decision, invoicesOf, outcomeOf, type Decision, type KnownBy } from './decide.rules.ts';
import { prepareChange, type PreparedChange } from './prepare.ts';
import { requireAmount } from './preview.ts';
import { saveChange } from './save.ts';
import { readChanged, sendChange, type ChangedAtProcessor } from './send.ts';

/** A change of plan that was made, its invoice, and the subscription afterwards. */
interface ChangedPlan {
  readonly change: MadeChange;
  readonly invoice: Invoice | null;
  readonly subscription: Subscription;
}

/** What the operation log stores of a change of plan. */
const input = z.object({
  subscriptionId: SubscriptionId.schema,
  processorSubscriptionId: z.string(),
  /** Who makes it in the portal; absent when the team does. */
  customerId: CustomerId.schema.exactOptional(),
  /** A customer may keep a quantity that was set at the processor, where there are others than in requests. */
  wanted: withPriceIds(planChange.safeExtend({ quantity: z.int().optional() })),
  /** Null until the subscription's turn has come. */
  decision: decision.nullable(),
  /** The migration that makes it, and the processor's price that it leaves; absent when a request makes it. */
  migration: z.object({ migrationId: PriceMigrationId.schema, fromProcessorPriceId: z.string() }).exactOptional(),
});
type Input = z.output<typeof input>;
type Operation = RemoteOperation<Input>;

/**
 * Changes the plan of a subscription at the processor, now or at the end of the period, in three steps: it is decided in the
 * subscription's turn, by what the change before it has left; sent as it was decided, however often; and saved.
 */
export function changePlanKind(
  dependencies: Pick<Dependencies, 'em' | 'rpc' | 'processors' | 'now'>,
): OperationKind<WithAudit<Input>, ChangedAtProcessor, ChangedPlan> {
  const { now } = dependencies;
  const decide = decideOperation(dependencies);
  const save = saveChange({ now });
  const readCurrent = (processor: Processor, operation: Operation, em: EntityManager) =>
    readChanged({ processor, em, now, object: toObject(operation) }, snapshot =>
      invoicesOf(snapshot, knownBy(operation)),
    );

  return audited<Input, ChangedAtProcessor, ChangedPlan>({
    name: 'change-plan',
    input,
    prepare: async operation => ({ ...operation.input, decision: await decide(operation) }),
    async send(processor, operation, em) {
      const { id, idempotencyKey, input: stored } = operation;
      if (!stored.decision) throw new Error('The change is sent before it is decided.');
      const place = { processor, em, now, object: toObject(operation) };
      return sendChange(place, { ...stored.decision, changeId: changeIdOf(id), idempotencyKey });
    },
    async findExisting(processor, operation, em) {
      const current = await readCurrent(processor, operation, em);
      return outcomeOf(current.reread.snapshot, knownBy(operation)) ? current : null;
    },
    reread: readCurrent,
    async commit(tx, operation, response, publish, cause) {
      const saved = await save(tx, toObject(operation).scope, response, { publish, cause, operationKey: operation.id });
      if (saved === 'outdated') return STALE;
      const { subscriptionId, migration, decision: decided } = operation.input;
      const change = madeChange(saved.subscription, changeIdOf(operation.id), decided);
      if (migration) await markScheduled(tx, { ...migration, subscriptionId }, change);
      return { ...saved, change };
    },
    cancel: (tx, operation) => enqueueIfOverdue(tx, toObject(operation)),
  });
}

/**
 * Changes the plan of a subscription, now or at the end of its period. The same operation key is the same change; changes of one
 * subscription run one at a time.
 * @throws Problem what `prepareChange` throws; 409 `amount_changed`; 422 `payment_failed` when it has to be paid, is not, and may
 * not wait; `processor_error` after another refusal, each with nothing changed; `unavailable` when the processor does not
 * respond, and the change may be made later
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
      return { change: madeChange(subscription, changeIdOf(operationKey)), invoice, subscription };
    };
    try {
      return await operationLog.perform(kind, scope, { resourceId: id, operationKey, find }, async tx => {
        const current = await findSubscription(tx, scope, key);
        requireRunning(current.status);
        const { priceId, quantity, items, promotionCode } = wanted;
        const changes = changesOf(toResource(current), { priceId, quantity, items, promotionCode });
        const audit = pendingAuditOf(context, { target: { type: 'subscription', id }, changes });
        const { processorSubscriptionId } = current;
        const { id: subscriptionId, ...byWhom } = key;
        return { subscriptionId, processorSubscriptionId, ...byWhom, wanted, decision: null, audit };
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

/** Decides on a change that is next: prepares it, and checks that it costs what the caller expects. Changes nothing. */
function decideOperation(dependencies: Pick<Dependencies, 'em' | 'rpc' | 'processors' | 'now'>) {
  const prepare = prepareChange(dependencies);
  return async ({ teamId, projectId, input: stored }: Operation): Promise<Decision> => {
    const { subscriptionId: id, customerId, wanted, migration } = stored;
    const key = { id, ...(customerId !== undefined && { customerId }) };
    const prepared = await prepare(
      { teamId, projectId },
      key,
      wanted,
      snapshot => migration && requireMovable(snapshot, migration.fromProcessorPriceId),
    );
    const processor = await dependencies.processors.of(teamId);
    if (wanted.expectedAmountDue !== undefined) await requireAmount(processor, prepared, wanted.expectedAmountDue);
    const paymentBehavior = await paymentBehaviorOf(processor, prepared, wanted);
    const { when, effectiveAt, items, phaseItems, change, isMarked, latestInvoiceId, replacesPending } = prepared;
    const decided = { when, effectiveAt, items, phaseItems, change, isMarked, latestInvoiceId, replacesPending };
    return { ...decided, paymentBehavior };
  };
}

/**
 * Returns what happens when a change is not paid. Changes wait for cards only, and what is sent as an invoice is not charged at all.
 * https://docs.stripe.com/billing/subscriptions/pending-updates-reference
 */
async function paymentBehaviorOf(
  processor: Processor,
  { when, reread: { snapshot } }: PreparedChange,
  { paymentBehavior }: PlanChange,
): Promise<Decision['paymentBehavior']> {
  const { id, customerId, collectionMethod } = snapshot;
  if (collectionMethod === 'send_invoice') return 'allow_incomplete';
  if (when !== 'now' || paymentBehavior !== 'pending_if_incomplete') return paymentBehavior;
  const { ofSubscriptions, customerDefault } = await processor.findPaymentMethods(customerId);
  const method = ofSubscriptions.get(id) ?? customerDefault;
  return method === null || method.type === 'card' ? paymentBehavior : 'error_if_incomplete';
}

/**
 * Returns how the change of an operation is known. Before a repeat of a request is decided, what an earlier run may have done is
 * searched for: only its mark tells it.
 */
function knownBy({ id, input: { decision: decided } }: Operation): KnownBy {
  const undecided = { items: [], isMarked: true, latestInvoiceId: null, replacesPending: false, change: {} };
  return { ...(decided ?? undecided), changeId: changeIdOf(id) };
}

/** Returns a change as it stands; without a decision it was made by an earlier run of the same request. */
function madeChange(
  subscription: Subscription,
  changeId: SubscriptionChangeId,
  decided: Decision | null = null,
): MadeChange {
  const { pendingChange, scheduledChange } = futureOf(subscription);
  const waits = pendingChange && (pendingChange.id === changeId || decided?.isMarked === false) ? pendingChange : null;
  if (waits) return { id: waits.id, status: 'pending_payment', items: waits.items, effectiveAt: null };
  if (scheduledChange?.id === changeId) {
    const { items, effectiveAt } = scheduledChange;
    return { id: changeId, status: 'scheduled', items, effectiveAt };
  }
  const items =
    decided?.items ??
    subscription.items.map(({ priceId, processorPriceId, quantity }) => ({ priceId, processorPriceId, quantity }));
  return { id: changeId, status: 'applied', items, effectiveAt: decided?.effectiveAt ?? subscription.updatedAt };
}
