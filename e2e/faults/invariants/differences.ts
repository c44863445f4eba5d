import { isDeepStrictEqual } from 'node:util';
import { computeAnalytics } from '../model/analytics.ts';
import { hasSubscribed, type ExpectedState } from '../model/expected-state.ts';
import type { Snapshot } from './snapshot.ts';

export interface Differences {
  /** Records of the model that the API does not return. */
  readonly missing: string[];
  /** Records and metrics that differ from the model, and records the model does not have. */
  readonly wrong: string[];
}

/** Compares a snapshot with the model: every record, and the metrics recomputed from both. */
export function compare(snapshot: Snapshot, expected: ExpectedState): Differences {
  const parts = [
    compareAll('subscription', shownSubscriptions(snapshot), expectedSubscriptions(snapshot, expected)),
    compareAll('invoice', shownInvoices(snapshot), expectedInvoices(snapshot, expected)),
    compareCustomers(snapshot, expected),
    { missing: [], wrong: [...wrongReferrals(snapshot, expected), ...wrongAnalytics(snapshot, expected)] },
  ];
  return { missing: parts.flatMap(it => it.missing), wrong: parts.flatMap(it => it.wrong) };
}

type Records = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

function compareAll(kind: string, shown: Records, expected: Records): Differences {
  return {
    missing: [...expected.keys()].filter(id => !shown.has(id)).map(id => `${kind} ${id}`),
    wrong: [
      ...[...shown.keys()]
        .filter(id => !expected.has(id))
        .map(id => `${kind} ${id} is shown, but no event describes it`),
      ...[...expected].flatMap(([id, model]) => fieldDifferences(`${kind} ${id}`, shown.get(id) ?? model, model)),
    ],
  };
}

function fieldDifferences(name: string, shown: Readonly<Record<string, unknown>>, model: typeof shown): string[] {
  const fields = [...new Set([...Object.keys(shown), ...Object.keys(model)])];
  return fields
    .filter(field => !isDeepStrictEqual(shown[field], model[field]))
    .map(field => `${name} has ${field} ${format(shown[field])}, expected ${format(model[field])}`);
}

const format = (value: unknown): string => JSON.stringify(value) ?? 'nothing';

/** Translates customer ids; deleted customers read `deleted` on both sides. */
function customerIds({ customers }: Snapshot) {
  const ours = new Map(customers.map(it => [it.processorCustomerId, it.id as string]));
  const live = new Set(ours.values());
  return {
    fromProcessorId: (processorId: string) => ours.get(processorId) ?? 'deleted',
    fromOurId: (id: string) => (live.has(id) ? id : 'deleted'),
  };
}

function shownSubscriptions(snapshot: Snapshot): Records {
  const customer = customerIds(snapshot);
  return new Map(
    snapshot.subscriptions.map(it => {
      const { status, priceId = null, quantity, cancelAtPeriodEnd, metadata, createdAt } = it;
      const { currentPeriodStart, currentPeriodEnd } = it;
      const record = { status, priceId, quantity, cancelAtPeriodEnd, currentPeriodStart, currentPeriodEnd };
      return [
        it.processorSubscriptionId,
        { ...record, metadata, createdAt, customer: customer.fromOurId(it.customerId) },
      ];
    }),
  );
}

function expectedSubscriptions(snapshot: Snapshot, { subscriptions }: ExpectedState): Records {
  const customer = customerIds(snapshot);
  const prices = new Map(snapshot.prices.map(it => [it.processorPriceId, it.id]));
  return new Map(
    [...subscriptions].map(([id, { items, processorCustomerId, ...it }]) => {
      const [{ processorPriceId, quantity } = { processorPriceId: '', quantity: 1 }] = items;
      const priceId = prices.get(processorPriceId) ?? null;
      return [id, { ...it, priceId, quantity, customer: customer.fromProcessorId(processorCustomerId) }];
    }),
  );
}

function shownInvoices(snapshot: Snapshot): Records {
  const customer = customerIds(snapshot);
  const subscriptions = new Map(snapshot.subscriptions.map(it => [it.id, it.processorSubscriptionId]));
  return new Map(
    snapshot.invoices.map(it => {
      const { number, status, amountDue, amountPaid, amountRemaining, currency, billingReason, subscriptionId } = it;
      const amounts = { amountDue, amountPaid, amountRemaining, currency };
      const subscription = subscriptionId && (subscriptions.get(subscriptionId) ?? `unknown ${subscriptionId}`);
      const record = { number, status, ...amounts, billingReason, subscription };
      return [it.processorInvoiceId, { ...record, customer: customer.fromOurId(it.customerId) }];
    }),
  );
}

function expectedInvoices(snapshot: Snapshot, { invoices }: ExpectedState): Records {
  const customer = customerIds(snapshot);
  return new Map(
    [...invoices].map(([id, { processorCustomerId, processorSubscriptionId: subscription, ...it }]) => [
      id,
      { ...it, subscription, customer: customer.fromProcessorId(processorCustomerId) },
    ]),
  );
}

/** Compares only customers in the snapshot: a customer created at the processor alone belongs to no project. */
function compareCustomers({ customers }: Snapshot, expected: ExpectedState): Differences {
  const wrong = customers.flatMap(({ id, processorCustomerId, email, name = null, metadata }) => {
    const model = expected.customers.get(processorCustomerId);
    if (model === undefined) return [];
    if (model === null) return [`customer ${id} is shown, but was deleted at the processor`];
    return fieldDifferences(`customer ${id}`, { email, name, metadata }, model);
  });
  return { missing: [], wrong };
}

/** A referral is converted if and only if its referee subscribed. Referrals of deleted referees are skipped. */
function wrongReferrals({ codes, customers }: Snapshot, expected: ExpectedState): string[] {
  const processorIds = new Map(customers.map(it => [it.id, it.processorCustomerId]));
  return codes
    .flatMap(({ referrals }) => referrals)
    .flatMap(({ id, refereeCustomerId, status, convertedAt }) => {
      const processorId = processorIds.get(refereeCustomerId);
      if (processorId === undefined) return [];
      const expectedStatus = hasSubscribed(expected, processorId) ? 'converted' : 'pending';
      const isDated = (convertedAt !== null) === (status === 'converted');
      return status === expectedStatus && isDated ? [] : [`referral ${id} is ${status}, expected ${expectedStatus}`];
    });
}

function wrongAnalytics({ analytics, customers, codes, events }: Snapshot, { subscriptions }: ExpectedState): string[] {
  const { mrr, mrrTrialing, mrrByCurrency, subscriptionBreakdown, customerCount, webhookStats, referralStats } =
    analytics;
  const completed = events.filter(({ projectId, status }) => projectId !== null && status !== 'ignored');
  const referrals = codes.flatMap(it => it.referrals);
  const shown = {
    mrr,
    mrrTrialing,
    mrrByCurrency,
    subscriptionBreakdown: Object.fromEntries(Object.entries(subscriptionBreakdown).filter(([, count]) => count > 0)),
    customerCount,
    lastOfGrowth: analytics.customerGrowth.at(-1)?.count,
    webhookStats,
    referralStats,
  };
  const recomputed = {
    ...computeAnalytics([...subscriptions.values()]),
    customerCount: customers.length,
    lastOfGrowth: customers.length,
    webhookStats: {
      total: completed.length,
      processed: completed.filter(({ status }) => status === 'processed').length,
      failed: completed.filter(({ status }) => status === 'failed').length,
    },
    referralStats: {
      totalCodes: codes.length,
      totalReferrals: referrals.length,
      converted: referrals.filter(({ status }) => status === 'converted').length,
    },
  };
  return fieldDifferences('analytics', shown, recomputed);
}
