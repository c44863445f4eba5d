import { isDeepStrictEqual } from 'node:util';
import { computeAnalytics } from '../model/analytics.ts';
import { hasSubscribed, type World } from '../model/world.ts';
import type { Shown } from './shown.ts';

export interface Differences {
  /** Of the model, and not shown. */
  readonly missing: string[];
  /** Shown otherwise than in the model, or though it should not be. */
  readonly wrong: string[];
}

/** Compares what is shown with the model, record by record, and the figures with a recomputation from both. */
export function compare(shown: Shown, world: World): Differences {
  const parts = [
    compareAll('subscription', subscriptionsOf(shown), modelSubscriptionsOf(shown, world)),
    compareAll('invoice', invoicesOf(shown), modelInvoicesOf(shown, world)),
    compareCustomers(shown, world),
    { missing: [], wrong: [...wrongReferrals(shown, world), ...wrongFigures(shown, world)] },
  ];
  return { missing: parts.flatMap(it => it.missing), wrong: parts.flatMap(it => it.wrong) };
}

type Records = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

function compareAll(kind: string, shown: Records, expected: Records): Differences {
  return {
    missing: [...expected.keys()].filter(id => !shown.has(id)).map(id => `${kind} ${id}`),
    wrong: [
      ...[...shown.keys()].filter(id => !expected.has(id)).map(id => `${kind} ${id} is shown, and nobody told of it`),
      ...[...expected].flatMap(([id, model]) => differs(`${kind} ${id}`, shown.get(id) ?? model, model)),
    ],
  };
}

function differs(what: string, shown: Readonly<Record<string, unknown>>, model: typeof shown): string[] {
  const fields = [...new Set([...Object.keys(shown), ...Object.keys(model)])];
  return fields
    .filter(field => !isDeepStrictEqual(shown[field], model[field]))
    .map(field => `${what} shows ${field} ${told(shown[field])}, and should show ${told(model[field])}`);
}

const told = (value: unknown): string => JSON.stringify(value) ?? 'nothing';

/** Our id of a customer by the processor's; a deleted customer is called by the processor's in both. */
function namesOf({ customers }: Shown) {
  const ours = new Map(customers.map(it => [it.processorCustomerId, it.id as string]));
  const live = new Set(ours.values());
  return {
    ofProcessor: (processorId: string) => ours.get(processorId) ?? 'deleted',
    ofOurs: (id: string) => (live.has(id) ? id : 'deleted'),
  };
}

function subscriptionsOf(shown: Shown): Records {
  const customer = namesOf(shown);
  return new Map(
    shown.subscriptions.map(it => {
      const { status, priceId = null, quantity, cancelAtPeriodEnd, metadata, createdAt } = it;
      const { currentPeriodStart, currentPeriodEnd } = it;
      const record = { status, priceId, quantity, cancelAtPeriodEnd, currentPeriodStart, currentPeriodEnd };
      return [it.processorSubscriptionId, { ...record, metadata, createdAt, customer: customer.ofOurs(it.customerId) }];
    }),
  );
}

function modelSubscriptionsOf(shown: Shown, { subscriptions }: World): Records {
  const customer = namesOf(shown);
  const prices = new Map(shown.prices.map(it => [it.processorPriceId, it.id]));
  return new Map(
    [...subscriptions].map(([id, { items, processorCustomerId, ...it }]) => {
      const [{ processorPriceId, quantity } = { processorPriceId: '', quantity: 1 }] = items;
      const priceId = prices.get(processorPriceId) ?? null;
      return [id, { ...it, priceId, quantity, customer: customer.ofProcessor(processorCustomerId) }];
    }),
  );
}

function invoicesOf(shown: Shown): Records {
  const customer = namesOf(shown);
  const subscriptions = new Map(shown.subscriptions.map(it => [it.id, it.processorSubscriptionId]));
  return new Map(
    shown.invoices.map(it => {
      const { number, status, amountDue, amountPaid, amountRemaining, currency, billingReason, subscriptionId } = it;
      const amounts = { amountDue, amountPaid, amountRemaining, currency };
      const subscription = subscriptionId && (subscriptions.get(subscriptionId) ?? `unknown ${subscriptionId}`);
      const record = { number, status, ...amounts, billingReason, subscription };
      return [it.processorInvoiceId, { ...record, customer: customer.ofOurs(it.customerId) }];
    }),
  );
}

function modelInvoicesOf(shown: Shown, { invoices }: World): Records {
  const customer = namesOf(shown);
  return new Map(
    [...invoices].map(([id, { processorCustomerId, processorSubscriptionId: subscription, ...it }]) => [
      id,
      { ...it, subscription, customer: customer.ofProcessor(processorCustomerId) },
    ]),
  );
}

/** A customer of the processor whom nobody created here is none of ours, so only those that are shown are compared. */
function compareCustomers({ customers }: Shown, world: World): Differences {
  const wrong = customers.flatMap(({ id, processorCustomerId, email, name = null, metadata }) => {
    const model = world.customers.get(processorCustomerId);
    if (model === undefined) return [];
    if (model === null) return [`customer ${id} is shown, and was deleted at the processor`];
    return differs(`customer ${id}`, { email, name, metadata }, model);
  });
  return { missing: [], wrong };
}

/** A referral is converted if and only if its referee subscribed; referees that were deleted are not looked at. */
function wrongReferrals({ codes, customers }: Shown, world: World): string[] {
  const processorIds = new Map(customers.map(it => [it.id, it.processorCustomerId]));
  return codes
    .flatMap(({ referrals }) => referrals)
    .flatMap(({ id, refereeCustomerId, status, convertedAt }) => {
      const processorId = processorIds.get(refereeCustomerId);
      if (processorId === undefined) return [];
      const expected = hasSubscribed(world, processorId) ? 'converted' : 'pending';
      const isDated = (convertedAt !== null) === (status === 'converted');
      return status === expected && isDated ? [] : [`referral ${id} is ${status}, and should be ${expected}`];
    });
}

function wrongFigures({ analytics, customers, codes, events }: Shown, { subscriptions }: World): string[] {
  const { mrr, mrrTrialing, mrrByCurrency, subscriptionBreakdown, customerCount, webhookStats, referralStats } =
    analytics;
  const settled = events.filter(({ projectId, status }) => projectId !== null && status !== 'ignored');
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
      total: settled.length,
      processed: settled.filter(({ status }) => status === 'processed').length,
      failed: settled.filter(({ status }) => status === 'failed').length,
    },
    referralStats: {
      totalCodes: codes.length,
      totalReferrals: referrals.length,
      converted: referrals.filter(({ status }) => status === 'converted').length,
    },
  };
  return differs('analytics', shown, recomputed);
}
