import { SUBSCRIPTION_STATUSES } from '@billing/contracts/resources/subscription';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  concernsState,
  entitlementsOf,
  grantOf,
  nextChangeAt,
  paymentOf,
  type CustomerRecords,
  type GrantingSubscription,
  type OpenInvoice,
} from './customer-state.rules.ts';

const day = (number: number) => new Date(Date.UTC(2026, 2, number));
const NOW = day(20);

const subscription: GrantingSubscription = {
  id: 'ps_1',
  status: 'active',
  cancelAtPeriodEnd: false,
  cancelAt: null,
  currentPeriodStart: day(10),
  currentPeriodEnd: day(31),
  pauseBehavior: null,
  items: [{ priceId: 'pri_1', quantity: 4 }],
};
const invoice: OpenInvoice = {
  id: 'pinv_1',
  subscriptionId: 'ps_1',
  finalizedAt: day(15),
  dueDate: null,
  attempted: true,
  attempts: 2,
  nextAttemptAt: day(22),
  amountRemaining: 2_000,
  currency: 'usd',
  hostedInvoiceUrl: 'https://pay.example/1',
};
const records: CustomerRecords = {
  customerId: 'pc_1',
  subscriptions: [subscription],
  openInvoices: [],
  grants: [],
  features: [
    { key: 'seats', type: 'limit', values: null, merge: 'sum', isActive: true },
    { key: 'sso', type: 'boolean', values: null, merge: null, isActive: true },
  ],
  priceFeatures: new Map([
    ['pri_1', { productId: 'pp_1', features: new Map([['seats', { value: 3, per: 'quantity' }]]) }],
    ['pri_2', { productId: 'pp_1', features: new Map([['sso', { value: true, per: 'subscription' }]]) }],
  ]),
  graceDays: 7,
  grantsWhilePaused: true,
};
const pastDue = {
  ...records,
  subscriptions: [{ ...subscription, status: 'past_due' as const }],
  openInvoices: [invoice],
};
const seats = (of: CustomerRecords, now = NOW) => entitlementsOf(of, now).get('seats');

describe('what a customer may use', () => {
  it('is given by active subscriptions and trials, times the quantity', () => {
    expect(seats(records)).toMatchObject({ value: 12, until: null, sources: [{ reason: 'active', quantity: 4 }] });
    const trial = { ...records, subscriptions: [{ ...subscription, status: 'trialing' as const }] };
    expect(seats(trial)).toMatchObject({ value: 12, sources: [{ reason: 'trial' }] });
  });

  it('counts every source, however many, and lists the first hundred', () => {
    const ids = Array.from({ length: 500 }, (_, index) => `ps_${String(index).padStart(3, '0')}`);
    const items = Array.from({ length: 20 }, () => ({ priceId: 'pri_1' as const, quantity: 1 }));
    const subscriptions = ids.map((id, index) => {
      return { ...subscription, id, items, cancelAt: new Date(day(25).getTime() + index) };
    });
    const found = seats({ ...records, subscriptions: subscriptions.toReversed() });
    expect(found).toMatchObject({ value: 30_000, until: day(25) });
    expect(found?.sources.map(({ id }) => id)).toEqual(ids.slice(0, 5).flatMap(id => items.map(() => id)));
  });

  it('is given until the end of the period by a subscription that is set to cancel', () => {
    const canceling = { ...subscription, cancelAtPeriodEnd: true };
    expect(seats({ ...records, subscriptions: [canceling] })?.until).toEqual(day(31));
    const earlier = { ...canceling, cancelAt: day(21), status: 'past_due' as const };
    expect(seats({ ...pastDue, subscriptions: [earlier] })?.until).toEqual(day(21));
  });

  it('goes on after the time of a cancellation until the processor has ended the subscription', () => {
    const late = { ...records, subscriptions: [{ ...subscription, cancelAt: day(19) }] };
    expect(seats(late)).toMatchObject({ value: 12, until: day(19) });
  });

  it('is given until the end of the grace by one that is past due, and not from then on', () => {
    expect(seats(pastDue)).toMatchObject({ value: 12, until: day(22), sources: [{ reason: 'grace' }] });
    expect(seats(pastDue, new Date(day(22).getTime() - 1))).toBeDefined();
    expect(seats(pastDue, day(22))).toBeUndefined();
    expect(seats({ ...pastDue, graceDays: 0 })).toBeUndefined();
  });

  it('is not given by others', () => {
    for (const status of ['unpaid', 'paused', 'incomplete', 'canceled', 'incomplete_expired'] as const)
      expect(seats({ ...records, subscriptions: [{ ...subscription, status }] })).toBeUndefined();
  });

  it('is given while payments are paused, unless the project wants otherwise', () => {
    const paused = { ...records, subscriptions: [{ ...subscription, pauseBehavior: 'void' }] };
    expect(seats(paused)).toMatchObject({ value: 12 });
    expect(seats({ ...paused, grantsWhilePaused: false })).toBeUndefined();
    expect(seats({ ...records, grantsWhilePaused: false })).toMatchObject({ value: 12 });
  });

  it('is added to by a grant until it expires', () => {
    const granted = { ...records, grants: [{ key: 'seats', value: 5, expiresAt: day(25) }] };
    expect(seats(granted)).toMatchObject({ value: 17, until: day(25) });
    expect(seats(granted, day(25))).toMatchObject({ value: 12, until: null });
  });
});

describe('how far a customer has paid', () => {
  it('is the sum of the open invoices in the currency of the earliest, with its page', () => {
    const later = { ...invoice, id: 'pinv_2', finalizedAt: day(17), amountRemaining: 500, nextAttemptAt: day(21) };
    const foreign = { ...later, id: 'pinv_3', currency: 'eur', hostedInvoiceUrl: 'https://pay.example/3' };
    expect(paymentOf({ ...pastDue, openInvoices: [foreign, later, invoice] })).toEqual({
      status: 'past_due',
      pastDueSince: day(15),
      graceEndsAt: day(22),
      nextRetryAt: day(21),
      attempts: 2,
      amountDue: 2_500,
      currency: 'usd',
      hostedInvoiceUrl: 'https://pay.example/1',
    });
  });

  it('is ok while no subscription is past due or unpaid, also with an open invoice', () => {
    const ok = { status: 'ok', pastDueSince: null, graceEndsAt: null };
    expect(paymentOf(records)).toMatchObject({ ...ok, amountDue: 0 });
    expect(paymentOf({ ...records, openInvoices: [invoice] })).toMatchObject({ ...ok, amountDue: 2_000 });
  });

  it('is that of the worst subscription, and says until when those that are past due grant', () => {
    const unpaid = { ...subscription, id: 'ps_2', status: 'unpaid' as const };
    const other = { ...invoice, id: 'pinv_2', subscriptionId: 'ps_2', finalizedAt: day(1) };
    const of = { ...pastDue, subscriptions: [...pastDue.subscriptions, unpaid], openInvoices: [invoice, other] };
    expect(paymentOf(of)).toMatchObject({ status: 'unpaid', pastDueSince: day(1), graceEndsAt: day(22) });
  });

  it('is past due since the earliest open invoice of the subscription whose payment failed', () => {
    const paidLater = { ...invoice, id: 'pinv_2', finalizedAt: day(12) };
    const untried = { ...invoice, id: 'pinv_3', finalizedAt: day(1), attempted: false };
    const others = { ...invoice, id: 'pinv_4', finalizedAt: day(2), subscriptionId: 'ps_2' };
    const since = (openInvoices: OpenInvoice[]) => paymentOf({ ...pastDue, openInvoices }).pastDueSince;
    expect(since([invoice, untried, others, paidLater])).toEqual(day(12));
    expect(since([invoice, untried, others])).toEqual(day(15));
    expect(since([untried, others])).toEqual(subscription.currentPeriodStart);
  });

  it('is past due since the newest open invoice while its failed payment is not recorded yet', () => {
    const untried = { ...invoice, finalizedAt: day(19), attempted: false };
    const yearly = { ...subscription, status: 'past_due' as const, currentPeriodStart: day(-200) };
    const of = { ...pastDue, subscriptions: [yearly], openInvoices: [untried] };
    expect(seats(of)).toMatchObject({ until: day(26) });
    expect(seats({ ...of, openInvoices: [{ ...untried, attempted: true }] })).toMatchObject({ until: day(26) });
  });

  it('is past due since the due date of an invoice that the customer is to pay', () => {
    const sent = { ...invoice, finalizedAt: day(1), dueDate: day(18), attempted: false, nextAttemptAt: null };
    const of = { ...pastDue, openInvoices: [sent] };
    expect(paymentOf(of)).toMatchObject({ pastDueSince: day(18), graceEndsAt: day(25), amountDue: 2_000 });
    expect(seats(of)).toMatchObject({ until: day(25), sources: [{ reason: 'grace' }] });
  });
});

const anyDay = fc.integer({ min: 1, max: 31 }).map(day);
const anyRecords: fc.Arbitrary<CustomerRecords> = fc
  .record({
    subscriptions: fc.uniqueArray(
      fc.record({
        id: fc.constantFrom('ps_1', 'ps_2', 'ps_3'),
        status: fc.constantFrom(...SUBSCRIPTION_STATUSES),
        cancelAtPeriodEnd: fc.boolean(),
        cancelAt: fc.option(anyDay),
        currentPeriodStart: anyDay,
        currentPeriodEnd: anyDay,
        pauseBehavior: fc.option(fc.constant('void')),
        items: fc.array(fc.record({ priceId: fc.option(fc.constantFrom('pri_1', 'pri_2')), quantity: fc.nat(9) })),
      }),
      { selector: ({ id }) => id },
    ),
    openInvoices: fc.uniqueArray(
      fc.record({
        id: fc.constantFrom('pinv_1', 'pinv_2', 'pinv_3'),
        subscriptionId: fc.option(fc.constantFrom('ps_1', 'ps_2')),
        finalizedAt: anyDay,
        dueDate: fc.option(anyDay),
        attempted: fc.boolean(),
        attempts: fc.nat(4),
        nextAttemptAt: fc.option(anyDay),
        amountRemaining: fc.nat(9_000),
        currency: fc.constantFrom('usd', 'eur'),
        hostedInvoiceUrl: fc.option(fc.webUrl()),
      }),
      { selector: ({ id }) => id },
    ),
    grants: fc.uniqueArray(
      fc.record({
        key: fc.constantFrom('seats', 'sso'),
        value: fc.constantFrom(true, 2),
        expiresAt: fc.option(anyDay),
      }),
      { selector: ({ key }) => key },
    ),
    graceDays: fc.integer({ min: 0, max: 60 }),
    grantsWhilePaused: fc.boolean(),
  })
  .map(given => ({ ...records, ...given }));

it('gives one state, in whatever order the records come', () => {
  fc.assert(
    fc.property(anyRecords, anyDay, (given, now) => {
      const reversed: CustomerRecords = {
        ...given,
        subscriptions: given.subscriptions.toReversed(),
        openInvoices: given.openInvoices.toReversed(),
        grants: given.grants.toReversed(),
        features: given.features.toReversed(),
      };
      expect(paymentOf(reversed)).toEqual(paymentOf(given));
      expect(Object.fromEntries(entitlementsOf(reversed, now))).toEqual(Object.fromEntries(entitlementsOf(given, now)));
    }),
    { numRuns: runs(500) },
  );
});

it('changes with time alone only when it says, and never for the better', () => {
  fc.assert(
    fc.property(anyRecords, anyDay, anyDay, (given, a, b) => {
      const [now, later] = a < b ? [a, b] : [b, a];
      const [before, after] = [entitlementsOf(given, now), entitlementsOf(given, later)];
      const next = nextChangeAt(given, now);
      expect(!next || later < next ? after : before).toEqual(before);
      expect([...after.keys()].filter(key => !before.has(key))).toEqual([]);
      const doesGrant = (one: GrantingSubscription, at: Date) => grantOf(one, given, at).grants;
      expect(given.subscriptions.filter(one => doesGrant(one, later) && !doesGrant(one, now))).toEqual([]);
    }),
    { numRuns: runs(500) },
  );
});

it('is the same after a change of a subscription that does not concern it', () => {
  const anyPart = fc.constantFrom(
    'status',
    'cancelAtPeriodEnd',
    'cancelAt',
    'currentPeriodStart',
    'currentPeriodEnd',
    'pauseBehavior',
    'items',
  );
  fc.assert(
    fc.property(anyRecords, anyRecords, fc.array(anyPart), anyDay, (given, other, parts, now) => {
      const [before] = given.subscriptions;
      const [source] = other.subscriptions;
      if (!before || !source) return;
      const after = { ...before, ...Object.fromEntries(parts.map(part => [part, source[part]])) };
      const deciding = ({ pauseBehavior: behavior, ...one }: GrantingSubscription) => ({
        ...one,
        pauseCollection: behavior === null ? null : { behavior },
        pendingChange: null,
      });
      if (concernsState(deciding(before), deciding(after))) return;
      const changed = { ...given, subscriptions: [after, ...given.subscriptions.slice(1)] };
      expect(paymentOf(changed)).toEqual(paymentOf(given));
      expect(Object.fromEntries(entitlementsOf(changed, now))).toEqual(Object.fromEntries(entitlementsOf(given, now)));
    }),
    { numRuns: runs(500) },
  );
});
