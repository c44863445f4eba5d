import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectObject } from '@billing/database/project-objects';
import type { CustomerId, ProjectScope, SubscriptionId } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { insertIfIdle, type NewOperation } from '@billing/processor/operation-log/operation-rows';
import { objectRows } from '#rows/object-rows';
import { ownDiscounts } from './discount.rules.ts';
import { allDiscountsOf, FIRST_AMOUNT, Subscription } from './subscription.entity.ts';
import { isOverdue } from './schedule.rules.ts';
import { enqueueLateRestarts } from './stopped-tax.ts';

/** The rows of the processor's subscriptions. */
export const subscriptionRows = objectRows(Subscription, {
  kind: 'subscription',
  processorId: 'processorSubscriptionId',
  fixed: ['processorCustomerId', 'createdAt'],
  computed: { amount: FIRST_AMOUNT, currency: `items -> 0 ->> 'currency'` },
  onSave: enqueueFollowing,
});

/** Returns the processor's object that a row is the record of. */
export const toProjectObject = ({ teamId, projectId, processorSubscriptionId }: Subscription): ProjectObject => ({
  scope: { teamId, projectId },
  id: processorSubscriptionId,
});

/** Enqueues what follows from subscriptions as they are saved. */
async function enqueueFollowing(tx: EntityManager, rows: readonly Subscription[]): Promise<void> {
  await enqueueOverdue(tx, rows);
  await enqueueLateRestarts(tx, rows);
}

/**
 * Enqueues what follows from a subscription as it is, where that is due: an operation that was refused saves nothing, and nothing
 * else was enqueued while it was open.
 */
export async function enqueueIfOverdue(tx: EntityManager, object: ProjectObject): Promise<void> {
  const rows = await subscriptionRows.find(tx, [object]);
  await enqueueFollowing(tx, [...rows.values()]);
}

/** Which subscription is meant. With a customer, another customer's subscription is not found. */
export interface SubscriptionKey {
  readonly id: SubscriptionId;
  readonly customerId?: CustomerId;
}

/**
 * Finds a subscription of the project.
 * @throws Problem 404 `subscription_not_found`
 */
export async function findSubscription(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  key: SubscriptionKey,
): Promise<Subscription> {
  return em.findOneOrFail(Subscription, { teamId, projectId, ...key }, { failHandler: () => notFound('subscription') });
}

/** The kind of operation that makes schedules follow their subscriptions. */
export const FOLLOW_SUBSCRIPTION = 'follow-subscription';

/**
 * Enqueues what makes the schedules of planned changes follow their subscriptions, in the transaction that saves these. An
 * operation that is open on a subscription saves it again at its end, or enqueues it once it is refused.
 */
export const enqueueOverdue = (tx: EntityManager, rows: readonly Subscription[]): Promise<void> =>
  insertIfIdle(tx, rows.filter(hasOverdueSchedule).map(followingOf));

function hasOverdueSchedule({ schedule, ...row }: Subscription): boolean {
  const change = schedule?.change;
  if (!change) return false;
  const discountIds = ownDiscounts(allDiscountsOf(row)).map(it => it.processorDiscountId);
  return isOverdue({ ...change, effectiveAt: new Date(change.effectiveAt) }, { ...row, discountIds });
}

/** Returns the operation that makes the schedule of a subscription follow it; once for each version. */
function followingOf({ id, teamId, projectId, processorSubscriptionId, version }: Subscription): NewOperation {
  const input = { processorSubscriptionId, version };
  return { key: `${id}:follow:${version}`, kind: FOLLOW_SUBSCRIPTION, teamId, projectId, resourceId: id, input };
}
