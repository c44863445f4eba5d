import { endSubscription, expireIncomplete, pauseSubscription, stopRetrying } from '../billing/subscriptions.ts';
import { newCoupon, newDiscount } from '../objects/coupon.ts';
import { customerOrNull } from '../objects/customer.ts';
import { currentPeriod } from '../objects/subscription.ts';
import type { Subscription } from '../objects/stored.ts';
import { deleteCustomer } from '../resources/customers.ts';
import { createSchedule, updateSchedule } from '../resources/subscription-schedules.ts';
import { updateSubscription } from '../resources/subscription-update.ts';
import {
  begin,
  beginningOf,
  breakCard,
  DAY,
  drawAge,
  drawRenewals,
  HOUR,
  liveUntil,
  type Subscriber,
} from './subscriber.ts';

type Story = (subscriber: Subscriber) => unknown;

/** Lives up to now without anything special. */
function live(
  subscriber: Subscriber,
  ...beginning: Parameters<typeof begin> extends [unknown, unknown, ...infer Rest] ? Rest : never
) {
  const begun = begin(subscriber, beginningOf(subscriber, drawRenewals(subscriber), drawAge(subscriber)), ...beginning);
  return liveUntil(subscriber, begun, subscriber.until);
}

/** Lives up to now, and its newest payment failed `agoSeconds` ago. */
function fail(subscriber: Subscriber, agoSeconds: number): Subscription {
  const renewals = Math.max(1, drawRenewals(subscriber));
  const begun = begin(subscriber, beginningOf(subscriber, renewals, agoSeconds));
  const renewed = liveUntil(subscriber, begun, subscriber.until - agoSeconds - 5 * DAY);
  breakCard(subscriber);
  return liveUntil(subscriber, renewed, subscriber.until);
}

/** Sets the time of what comes next: within the newest period, and before now. */
function later({ unit, random, until }: Subscriber, subscription: Subscription): void {
  const { start } = currentPeriod(subscription);
  unit.now = start + Math.floor((until - start) * (0.2 + 0.6 * random.next()));
}

/** Cancels at the end of the newest period. */
function cancelAtPeriodEnd(subscriber: Subscriber): Subscription {
  const subscription = live(subscriber);
  later(subscriber, subscription);
  return updateSubscription(subscriber.unit, subscription, {
    cancel_at_period_end: true,
    cancellation_details: detailsOf(subscription),
  });
}

/** Why subscriptions are canceled, the most frequent reasons more than once; some without any. */
const DETAILS = [
  { feedback: 'too_expensive' },
  { feedback: 'too_expensive', comment: 'We are a small team.' },
  { feedback: 'unused' },
  { feedback: 'unused', comment: 'I will be back in spring.' },
  { feedback: 'missing_features', comment: 'We need invoices in our own currency.' },
  { feedback: 'switched_service' },
  { feedback: 'too_complex' },
  undefined,
  undefined,
] as const;

const detailsOf = ({ created }: Subscription) => DETAILS[created % DETAILS.length];

/** Moves a story to the time when the period is over in which it was canceled. */
function endEarlier(subscriber: Subscriber): Subscription {
  const earlier = { ...subscriber, until: subscriber.until - subscriber.random.between(40, 200) * DAY };
  return liveUntil(subscriber, cancelAtPeriodEnd(earlier), subscriber.until);
}

/** Pauses collection, before the newest renewal or after it. */
function pauseCollection(subscriber: Subscriber): void {
  const { unit, random, until } = subscriber;
  const renewals = Math.max(1, drawRenewals(subscriber));
  const age = drawAge(subscriber);
  const begun = begin(subscriber, beginningOf(subscriber, renewals, age));
  const before = liveUntil(subscriber, begun, until - age - 5 * DAY);
  unit.now = Math.max(unit.now, until - age - 2 * HOUR);
  const behavior = random.pick([
    ['keep_as_draft', 1],
    ['mark_uncollectible', 1],
    ['void', 1],
  ] as const);
  const resumes_at = random.chance(0.5) ? until + 60 * DAY : undefined;
  const paused = updateSubscription(unit, before, {
    pause_collection: { behavior, ...(resumes_at !== undefined && { resumes_at }) },
  });
  liveUntil(subscriber, paused, until);
}

function schedule(subscriber: Subscriber): void {
  const { unit, random } = subscriber;
  const subscription = live(subscriber);
  later(subscriber, subscription);
  const made = createSchedule(unit, { from_subscription: subscription.id });
  if (random.chance(0.4)) updateSchedule(unit, made, { end_behavior: 'cancel' });
}

/** Gives the customer or the subscription a coupon, from its next invoice on. */
function discount(subscriber: Subscriber): void {
  const { unit, random, customer } = subscriber;
  const subscription = live(subscriber);
  later(subscriber, subscription);
  const name = random.pick([
    ['WELCOME20', 3],
    ['PARTNER', 1],
    ['YEAR10', 1],
  ]);
  const coupon = unit.tables.coupon.get(name) ?? unit.create('coupon', newCoupon(unit, couponOf(name)));
  const isOfSubscription = random.chance(0.5);
  const owner = { customer: customer.id, subscription: isOfSubscription ? subscription.id : null };
  const row = newDiscount(unit, { coupon, promotionCode: null, ...owner });
  if (isOfSubscription) {
    unit.create('discount', row);
    return void unit.update('subscription', subscription, { discounts: [row.id] });
  }
  const current = customerOrNull(unit, customer.id);
  if (current) unit.update('customer', current, { discount: row });
}

const couponOf = (name: string) => ({
  id: name,
  amount_off: null,
  currency: null,
  duration: 'forever' as const,
  duration_in_months: null,
  max_redemptions: null,
  metadata: {},
  name,
  percent_off: name === 'WELCOME20' ? 20 : 10,
  redeem_by: null,
});

/** Comes back some time after the end. */
function comeBack(subscriber: Subscriber): void {
  const ended = endEarlier(subscriber);
  const { unit, until } = subscriber;
  const back = (ended.ended_at ?? unit.now) + 7 * DAY;
  if (back < until) liveUntil(subscriber, begin(subscriber, back), until);
}

function pauseAfterTrial(subscriber: Subscriber): void {
  const { unit, random, until } = subscriber;
  const at = until - random.between(20, 200) * DAY;
  const begun = begin(subscriber, at, { trialDays: 14, hasCard: false });
  unit.now = at + 14 * DAY;
  pauseSubscription(unit, begun);
}

/** What became of subscribers, by how often it happens in a thousand. */
export const STORIES: readonly (readonly [Story, number])[] = [
  [subscriber => live(subscriber), 560],
  [
    subscriber =>
      live(subscriber, {
        trialDays: subscriber.random.pick([
          [7, 1],
          [14, 2],
          [30, 1],
        ]),
      }),
    90,
  ],
  [cancelAtPeriodEnd, 25],
  [endEarlier, 90],
  [
    subscriber => {
      const subscription = live(subscriber);
      later(subscriber, subscription);
      endSubscription(subscriber.unit, subscription, 'cancellation_requested');
    },
    30,
  ],
  [comeBack, 20],
  [subscriber => fail(subscriber, subscriber.random.between(HOUR, 2 * DAY)), 30],
  [
    subscriber => stopRetrying(subscriber.unit, fail(subscriber, subscriber.random.between(16, 25) * DAY), 'unpaid'),
    12,
  ],
  [
    subscriber => stopRetrying(subscriber.unit, fail(subscriber, subscriber.random.between(16, 25) * DAY), 'canceled'),
    25,
  ],
  [
    subscriber => {
      const days = subscriber.random.between(1, 13);
      begin(subscriber, subscriber.until - days * DAY, { trialDays: 14, hasCard: subscriber.random.chance(0.6) });
    },
    40,
  ],
  [
    subscriber => {
      breakCard(subscriber);
      begin(subscriber, subscriber.until - subscriber.random.between(1, 20) * HOUR);
    },
    6,
  ],
  [
    subscriber => {
      breakCard(subscriber);
      const at = subscriber.until - subscriber.random.between(2, 300) * DAY;
      const begun = begin(subscriber, at);
      subscriber.unit.now = at + 23 * HOUR;
      // What costs less than a card can be charged is carried over, so that nothing was declined.
      if (begun.status === 'incomplete') expireIncomplete(subscriber.unit, begun);
      else liveUntil(subscriber, begun, subscriber.until);
    },
    12,
  ],
  [pauseAfterTrial, 10],
  [pauseCollection, 12],
  [schedule, 12],
  [discount, 30],
  [subscriber => live(subscriber, { daysUntilDue: 30 }), 25],
  [
    subscriber => {
      live(subscriber);
      subscriber.unit.now = subscriber.until - HOUR;
      deleteCustomer(subscriber.unit, subscriber.customer.id);
    },
    10,
  ],
];
