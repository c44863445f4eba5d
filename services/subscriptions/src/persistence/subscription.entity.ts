import { defineEntity, p } from '@mikro-orm/postgresql';
import {
  billedDiscount,
  type BilledDiscount,
  type BilledItem,
  type ShownState,
  type SubscriptionChange,
  type SubscriptionState,
} from '@billing/contracts/events/subscriptions';
import type { CustomerId, PriceId, ProjectId, SubscriptionId, TeamId } from '@billing/contracts/ids';
import type { Cancellation, SaveOfferOutcome } from '@billing/contracts/resources/cancellation';
import type { Discount } from '@billing/contracts/resources/discount';
import {
  pendingChange,
  scheduledChange,
  type PendingChange,
  type ScheduledChange,
} from '@billing/contracts/resources/plan-change';
import { showAmount } from '@billing/contracts/resources/price';
import type {
  SubscriptionItem,
  Subscription as SubscriptionResource,
  SubscriptionStatus,
} from '@billing/contracts/resources/subscription';
import { z } from 'zod';
import type { Movable } from '#domain/price-migration.ts';
import { hasBegun } from '#domain/schedule.ts';

/** A schedule in JSON: a change as callers see it, and what the subscription was when the schedule last followed it. */
export interface RecordedSchedule {
  readonly id: string;
  /** Null for a schedule that this service did not make. */
  readonly change: (z.input<typeof scheduledChange> & { readonly from: string }) | null;
}

export type StoredDiscount = z.input<typeof billedDiscount>;

const SubscriptionSchema = defineEntity({
  name: 'Subscription',
  tableName: 'subscriptions',
  uniques: [
    {
      name: 'subscriptions_processor_id_unique',
      properties: ['processorSubscriptionId', 'teamId', 'projectId'],
    },
  ],
  indexes: [
    { name: 'subscriptions_newest', properties: ['teamId', 'projectId', 'createdAt', 'id'] },
    { name: 'subscriptions_customer', properties: ['customerId', 'teamId', 'projectId'] },
    { name: 'subscriptions_processor_customer', properties: ['processorCustomerId', 'teamId', 'projectId'] },
  ],
  properties: {
    id: p.text().$type<SubscriptionId>().primary(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().$type<ProjectId>(),
    customerId: p.text().$type<CustomerId>(),
    processorSubscriptionId: p.text(),
    processorCustomerId: p.text(),
    /** Of the first item; null while the catalog does not have its price. */
    priceId: p.text().$type<PriceId>().strictNullable(),
    status: p.text().$type<SubscriptionStatus>(),
    /** Of the first item. */
    quantity: p.integer(),
    cancelAtPeriodEnd: p.boolean(),
    /** When it ends by itself; null if it does not. */
    cancelAt: p.datetime().strictNullable(),
    /** When the cancellation was requested. */
    canceledAt: p.datetime().strictNullable(),
    /** Why the customer canceled. */
    cancellation: p.json<Cancellation>().strictNullable(),
    /** Whether it ended though nobody requested that. */
    involuntary: p.boolean(),
    /** What became of the discount that the customer was offered instead; null while none was. */
    saveOffer: p.text().$type<SaveOfferOutcome>().strictNullable(),
    /** Null unless payments are paused. */
    pauseBehavior: p.text().strictNullable(),
    pauseResumesAt: p.datetime().strictNullable(),
    /** Copies of the prices' fields: a price that changes or is deleted changes nothing here. */
    items: p.json<BilledItem[]>(),
    /** In JSON, as this service's events carry them. */
    discounts: p.json<StoredDiscount[]>(),
    /** The processor's schedule that manages it. */
    schedule: p.json<RecordedSchedule>().strictNullable(),
    /** In JSON, as callers see it. */
    pendingChange: p.json<z.input<typeof pendingChange>>().strictNullable(),
    currentPeriodStart: p.datetime(),
    currentPeriodEnd: p.datetime(),
    trialEnd: p.datetime().strictNullable(),
    /** The end of the trial that tenants were told is near. */
    toldTrialEnd: p.datetime().strictNullable(),
    startedAt: p.datetime(),
    endedAt: p.datetime().strictNullable(),
    /** The processor's id of its own payment method; null when it has that of the customer. */
    defaultPaymentMethodId: p.text().strictNullable(),
    metadata: p.json<Record<string, string>>(),
    /** Counts what was published of the record: consumers go by it. */
    version: p.integer(),
    /** Counts all changes of the row, also what only confirms it: a read of the processor is outdated once it is higher. */
    revision: p.integer(),
    /** How many changes tenants were told of. */
    sequence: p.integer(),
    /** The position of the newest event that is included; null while only reads of the processor are. */
    eventAt: p.datetime().strictNullable(),
    eventRank: p.smallint().strictNullable(),
    eventId: p.text().strictNullable(),
    /** When the processor was read, by our clock, if what it returned is included. */
    readAt: p.datetime().strictNullable(),
    /** Of the last change of its plan that was made through this service. */
    operationKey: p.text().strictNullable(),
    /** At the processor. */
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** A customer's subscription, copied from the processor. */
export class Subscription extends SubscriptionSchema.class {}
SubscriptionSchema.setClass(Subscription);

/** Returns how payments are paused; null when they are not. */
export const pauseOf = ({
  pauseBehavior: behavior,
  pauseResumesAt: resumesAt,
}: Pick<Subscription, 'pauseBehavior' | 'pauseResumesAt'>): SubscriptionState['pauseCollection'] =>
  behavior === null ? null : { behavior, resumesAt };

/** Returns the discounts of a subscription. */
export const discountsOf = ({ discounts }: Pick<Subscription, 'discounts'>): BilledDiscount[] =>
  discounts.map(it => z.decode(billedDiscount, it));

const toDiscount = (it: BilledDiscount): Discount => {
  const { couponId, promotionCodeId, percentOff, amountOff, currency, endsAt } = it;
  return { couponId, promotionCodeId, percentOff, amountOff, currency, endsAt };
};

/** Returns the change that is planned for the end of the period: a schedule may go on after it has made it. */
function scheduledChangeOf({
  schedule,
  currentPeriodStart,
}: Pick<Subscription, 'schedule' | 'currentPeriodStart'>): ScheduledChange | null {
  const change = schedule?.change && z.decode(scheduledChange, schedule.change);
  return change && !hasBegun(change, { currentPeriodStart }) ? change : null;
}

/** Returns how the plan of a subscription is going to change. */
export const changesOf = (
  row: Pick<Subscription, 'schedule' | 'currentPeriodStart' | 'pendingChange'>,
): {
  readonly scheduledChange: ScheduledChange | null;
  readonly pendingChange: PendingChange | null;
} => ({
  scheduledChange: scheduledChangeOf(row),
  pendingChange: row.pendingChange && z.decode(pendingChange, row.pendingChange),
});

/** Returns what of a record decides whether it moves to another price. */
export function toMovable(row: Subscription): Movable & Pick<Subscription, 'items' | 'currentPeriodEnd'> {
  const { status, items, cancelAtPeriodEnd, cancelAt, schedule, currentPeriodEnd } = row;
  const { pendingChange: pending, scheduledChange: planned } = changesOf(row);
  return {
    status,
    isPaused: row.pauseBehavior !== null,
    items,
    cancelAtPeriodEnd,
    cancelAt,
    schedule: schedule && !schedule.change ? 'foreign' : planned && 'planned',
    isPending: pending !== null,
    currentPeriodEnd,
  };
}

/** The properties that callers see. */
export const SHOWN = [
  'id',
  'customerId',
  'processorSubscriptionId',
  'status',
  'priceId',
  'quantity',
  'items',
  'cancelAtPeriodEnd',
  'cancelAt',
  'canceledAt',
  'cancellation',
  'startedAt',
  'trialEnd',
  'endedAt',
  'pauseBehavior',
  'pauseResumesAt',
  'currentPeriodStart',
  'currentPeriodEnd',
  'discounts',
  'schedule',
  'pendingChange',
  'metadata',
  'projectId',
  'createdAt',
  'updatedAt',
] as const satisfies readonly (keyof Subscription)[];
export type ShownSubscription = Pick<Subscription, (typeof SHOWN)[number]>;

/** Returns the resource that callers get. */
export function toResource(row: ShownSubscription): SubscriptionResource {
  return {
    id: row.id,
    customerId: row.customerId,
    processorSubscriptionId: row.processorSubscriptionId,
    status: row.status,
    ...(row.priceId && { priceId: row.priceId }),
    quantity: row.quantity,
    items: row.items.map(toItem),
    cancelAtPeriodEnd: row.cancelAtPeriodEnd,
    cancelAt: row.cancelAt,
    canceledAt: row.canceledAt,
    cancellation: row.cancellation,
    startedAt: row.startedAt,
    trialEnd: row.trialEnd,
    endedAt: row.endedAt,
    pauseCollection: pauseOf(row),
    currentPeriodStart: row.currentPeriodStart,
    currentPeriodEnd: row.currentPeriodEnd,
    discounts: discountsOf(row).map(toDiscount),
    ...changesOf(row),
    metadata: row.metadata,
    projectId: row.projectId,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

function toItem(item: BilledItem): SubscriptionItem {
  const { priceId, processorPriceId, quantity, currency, interval, intervalCount } = item;
  return { priceId, processorPriceId, quantity, ...showAmount(item), currency, interval, intervalCount };
}

/** Returns the state that events and other services get. */
export function toState(row: Subscription): SubscriptionState {
  return {
    id: row.id,
    projectId: row.projectId,
    customerId: row.customerId,
    processorSubscriptionId: row.processorSubscriptionId,
    processorCustomerId: row.processorCustomerId,
    priceId: row.priceId,
    status: row.status,
    quantity: row.quantity,
    cancelAtPeriodEnd: row.cancelAtPeriodEnd,
    cancelAt: row.cancelAt,
    canceledAt: row.canceledAt,
    cancellation: row.cancellation,
    involuntary: row.involuntary,
    pauseCollection: pauseOf(row),
    items: row.items,
    currentPeriodStart: row.currentPeriodStart,
    currentPeriodEnd: row.currentPeriodEnd,
    discounts: discountsOf(row),
    ...changesOf(row),
    trialEnd: row.trialEnd,
    startedAt: row.startedAt,
    endedAt: row.endedAt,
    version: row.version,
    createdAt: row.createdAt,
  };
}

/** When the newest event or reading happened that the row includes. */
export const observedAtOf = ({ eventAt, readAt }: Pick<Subscription, 'eventAt' | 'readAt'>): Date =>
  new Date(Math.max(eventAt?.getTime() ?? 0, readAt?.getTime() ?? 0));

/** Returns the state with states that were shown of it, as the service's events carry them. */
export const toChange = (row: Subscription, shown: readonly ShownState[]): SubscriptionChange => ({
  ...toState(row),
  shown: [...shown],
  observedAt: observedAtOf(row),
});
