import { defineEntity, p } from '@mikro-orm/postgresql';
import {
  billedDiscount,
  subscriptionOf,
  type BilledDiscount,
  type BilledItem,
  type ShownState,
  type SubscriptionChange,
  type SubscriptionState,
} from '@billing/contracts/events/subscriptions';
import { pick } from '@billing/contracts/fields-of';
import type { CustomerId, PriceId, ProjectId, SubscriptionId, TeamId } from '@billing/contracts/ids';
import type { Cancellation, SaveOfferOutcome } from '@billing/contracts/resources/cancellation';
import {
  pendingChange,
  scheduledChange,
  type PendingChange,
  type ScheduledChange,
} from '@billing/contracts/resources/plan-change';
import {
  refusedPaymentMethod,
  type Subscription as SubscriptionResource,
  type SubscriptionStatus,
} from '@billing/contracts/resources/subscription';
import { z } from 'zod';
import type { Movable } from '#price-migrations/price-migration.rules';
import { appliedDiscounts } from './discount.rules.ts';
import { hasBegun } from './schedule.rules.ts';

/** A schedule in JSON: a change as callers see it, and what the subscription was when the schedule last followed it. */
export interface RecordedSchedule {
  readonly id: string;
  /** Null for a schedule that this service did not make. */
  readonly change: (z.input<typeof scheduledChange> & { readonly from: string }) | null;
}

/** In JSON, as callers see it, with the processor's id of the payment method. */
type StoredRefusal = z.input<typeof refusedPaymentMethod> & { readonly paymentMethodId: string };

export type StoredDiscount = z.input<typeof billedDiscount>;

/** SQL of the price of a unit of the first item. */
export const FIRST_AMOUNT = `(items -> 0 ->> 'unitAmount')::bigint`;

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
    {
      name: 'subscriptions_amount',
      expression: `create index subscriptions_amount on subscriptions ((${FIRST_AMOUNT}), team_id, project_id)`,
    },
    {
      name: 'subscriptions_tax_stopped',
      properties: ['taxStoppedReason', 'teamId', 'projectId'],
      where: 'tax_stopped_reason is not null',
    },
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
    quantity: p.bigint('number'),
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
    /** Whether the processor computes its tax, and why it stopped by itself. */
    taxAutomatic: p.boolean(),
    taxStoppedReason: p.text().$type<SubscriptionState['tax']['stoppedReason']>().strictNullable(),
    /** Copies of the prices' fields: a price that changes or is deleted changes nothing here. */
    items: p.json<BilledItem[]>(),
    /** In JSON, as this service's events carry them; also one of the customer that does not count (`appliedDiscounts`). */
    discounts: p.json<StoredDiscount[]>(),
    /** The processor's schedule that manages it. */
    schedule: p.json<RecordedSchedule>().strictNullable(),
    /** In JSON, as callers see it. */
    pendingChange: p.json<z.input<typeof pendingChange>>().strictNullable(),
    currentPeriodStart: p.datetime(),
    currentPeriodEnd: p.datetime(),
    trialEnd: p.datetime().strictNullable(),
    /** The end of the trial that was published as near. */
    announcedTrialEnd: p.datetime().strictNullable(),
    startedAt: p.datetime(),
    endedAt: p.datetime().strictNullable(),
    /** The processor's id of its own payment method; null when it has that of the customer. */
    defaultPaymentMethodId: p.text().strictNullable(),
    /** The one that the customer saved last in our portal, if the processor refused it for this subscription. */
    refusedPaymentMethod: p.json<StoredRefusal>().strictNullable(),
    metadata: p.json<Record<string, string>>(),
    /** The processor's id of the test clock that it lives on; null in real time. */
    testClockId: p.text().strictNullable(),
    /** Counts how often the row was saved: consumers keep the highest, and a read of the processor is outdated once it is higher. */
    version: p.integer(),
    /** Of its last event for tenants. */
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

/** Returns how a subscription is taxed. */
export const taxOf = ({
  taxAutomatic: automatic,
  taxStoppedReason: stoppedReason,
}: Pick<Subscription, 'taxAutomatic' | 'taxStoppedReason'>): SubscriptionState['tax'] => ({ automatic, stoppedReason });

/** Returns all discounts that are recorded of a subscription. */
export const allDiscountsOf = ({ discounts }: Pick<Subscription, 'discounts'>): BilledDiscount[] =>
  discounts.map(it => z.decode(billedDiscount, it));

/** Returns the discounts that a subscription is billed with. */
export const discountsOf = (row: Pick<Subscription, 'discounts'>): BilledDiscount[] =>
  appliedDiscounts(allDiscountsOf(row));

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

/** The properties that callers see as they are. */
const PLAIN = [
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
  'currentPeriodStart',
  'currentPeriodEnd',
  'metadata',
  'projectId',
  'createdAt',
  'updatedAt',
] as const satisfies readonly (keyof Subscription)[];

/** The properties of which callers see something. */
export const SHOWN = [
  ...PLAIN,
  'pauseBehavior',
  'pauseResumesAt',
  'taxAutomatic',
  'taxStoppedReason',
  'discounts',
  'schedule',
  'pendingChange',
  'defaultPaymentMethodId',
  'refusedPaymentMethod',
] as const satisfies readonly (keyof Subscription)[];
export type ShownSubscription = Pick<Subscription, (typeof SHOWN)[number]>;

/** Returns the resource that callers get. */
export const toResource = (row: ShownSubscription): SubscriptionResource => subscriptionOf(shownState(row));

/** Returns the payment method that a subscription has refused, unless it has come to use it. */
function refusalOf({
  refusedPaymentMethod: refused,
  defaultPaymentMethodId,
}: ShownSubscription): Pick<SubscriptionState, 'refusedPaymentMethod'> {
  if (!refused || refused.paymentMethodId === defaultPaymentMethodId) return {};
  return { refusedPaymentMethod: z.decode(refusedPaymentMethod, refused) };
}

/** Returns the part of the state that callers see. */
const shownState = (row: ShownSubscription) => ({
  ...pick(row, PLAIN),
  pauseCollection: pauseOf(row),
  tax: taxOf(row),
  discounts: discountsOf(row),
  ...changesOf(row),
  ...refusalOf(row),
});

/** Returns the state that events and other services get. */
export const toState = (row: Subscription): SubscriptionState => ({
  ...shownState(row),
  ...pick(row, ['processorCustomerId', 'involuntary', 'testClockId', 'version']),
});

/** When the newest event or reading happened that the row includes. */
export const observedAtOf = ({ eventAt, readAt }: Pick<Subscription, 'eventAt' | 'readAt'>): Date =>
  new Date(Math.max(eventAt?.getTime() ?? 0, readAt?.getTime() ?? 0));

/** Returns the state with states that were shown of it, as the service's events carry them. */
export const toChange = (row: Subscription, shown: readonly ShownState[]): SubscriptionChange => ({
  ...toState(row),
  shown: [...shown],
  observedAt: observedAtOf(row),
});
