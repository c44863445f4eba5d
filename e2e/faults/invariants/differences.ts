import { isDeepStrictEqual } from 'node:util';
import { computeAnalytics } from '../model/analytics.ts';
import { hasSubscribed, type ExpectedState } from '../model/expected-state.ts';
import type { ModelItem } from '../model/subscriptions.ts';
import { wrongStates } from './customer-states.ts';
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
    compareAll('payment', shownPayments(snapshot), expectedPayments(snapshot, expected)),
    compareCustomers(snapshot, expected),
    compareKnown('product', shownProducts(snapshot), expected.products),
    compareKnown('price', shownPrices(snapshot), expected.prices),
    { missing: [], wrong: [...wrongReferrals(snapshot, expected), ...wrongAnalytics(snapshot, expected)] },
    { missing: [], wrong: [...wrongForeignEvents(snapshot, expected), ...wrongStates(snapshot)] },
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
      const { status, priceId = null, quantity, items, metadata, createdAt, startedAt, trialEnd, endedAt } = it;
      const { cancelAtPeriodEnd, cancelAt, canceledAt, paused, currentPeriodStart, currentPeriodEnd } = it;
      const billed = { status, priceId, quantity, items, paused, currentPeriodStart, currentPeriodEnd };
      const times = { createdAt, startedAt, trialEnd, cancelAtPeriodEnd, cancelAt, canceledAt, endedAt };
      const discounts = it.discounts.length;
      const record = { ...billed, ...times, metadata, discounts, customer: customer.fromOurId(it.customerId) };
      return [it.processorSubscriptionId, record];
    }),
  );
}

function expectedSubscriptions(snapshot: Snapshot, { subscriptions }: ExpectedState): Records {
  const customer = customerIds(snapshot);
  const prices = new Map(snapshot.prices.map(it => [it.processorPriceId, it.id]));
  return new Map(
    [...subscriptions].map(([id, { items, processorCustomerId, ...it }]) => {
      const shownItems = items.map(item => ({
        ...shownItem(item),
        priceId: prices.get(item.processorPriceId) ?? null,
      }));
      const { priceId = null, quantity = 1 } = shownItems[0] ?? {};
      const record = { ...it, items: shownItems, priceId, quantity };
      return [id, { ...record, customer: customer.fromProcessorId(processorCustomerId) }];
    }),
  );
}

/** Only a whole amount that each unit costs is shown as `unitAmount`; otherwise what is billed instead. */
function shownItem({ amount, billingScheme, usageType, ...item }: ModelItem) {
  const { processorPriceId, quantity, currency, interval, intervalCount } = item;
  const terms = { processorPriceId, quantity, currency, interval, intervalCount };
  return amount !== null && !amount.includes('.') && usageType === 'licensed'
    ? { ...terms, unitAmount: Number(amount) }
    : { ...terms, unitAmount: null, billingScheme, usageType, unitAmountDecimal: amount };
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

/** A draft may be shown or not. */
function expectedInvoices(snapshot: Snapshot, { invoices }: ExpectedState): Records {
  const customer = customerIds(snapshot);
  const shown = new Set(snapshot.invoices.map(it => it.processorInvoiceId));
  const known = [...invoices].filter(([id, { status }]) => status !== 'draft' || shown.has(id));
  return new Map(
    known.map(([id, { processorCustomerId, processorSubscriptionId: subscription, ...it }]) => [
      id,
      { ...it, subscription, customer: customer.fromProcessorId(processorCustomerId) },
    ]),
  );
}

function shownPayments(snapshot: Snapshot): Records {
  const customer = customerIds(snapshot);
  const invoices = new Map(snapshot.invoices.map(it => [it.id, it.processorInvoiceId]));
  return new Map(
    snapshot.payments.map(it => {
      const { processorPaymentIntentId, customerId, invoiceId, processorChargeId } = it;
      const { amount, amountRefunded, currency, status, failureCode } = it;
      const invoice = invoiceId && (invoices.get(invoiceId) ?? `unknown ${invoiceId}`);
      const record = { processorChargeId, amount, amountRefunded, currency, status, failureCode, invoice };
      return [String(processorPaymentIntentId), { ...record, customer: customerId && customer.fromOurId(customerId) }];
    }),
  );
}

function expectedPayments(snapshot: Snapshot, { payments }: ExpectedState): Records {
  const customer = customerIds(snapshot);
  return new Map(
    [...payments].map(([id, { processorCustomerId, processorInvoiceId: invoice, ...it }]) => [
      id,
      { ...it, invoice, customer: processorCustomerId && customer.fromProcessorId(processorCustomerId) },
    ]),
  );
}

function shownProducts({ products }: Snapshot): Records {
  return new Map(
    products.map(({ processorProductId, name, isActive, metadata }) => [
      processorProductId,
      { name, isActive, metadata },
    ]),
  );
}

function shownPrices({ prices, products }: Snapshot): Records {
  const processorIds = new Map(products.map(it => [it.id, it.processorProductId]));
  return new Map(
    prices.map(({ processorPriceId, productId, isActive, currency, metadata }) => {
      const processorProductId = processorIds.get(productId) ?? `unknown ${productId}`;
      return [processorPriceId, { processorProductId, isActive, currency, metadata }];
    }),
  );
}

/** Compares what the model knows, and expects that nothing deleted is shown: no event may describe what a test made. */
function compareKnown(
  kind: string,
  shown: Records,
  expected: ReadonlyMap<string, Readonly<Record<string, unknown>> | null>,
): Differences {
  const live = new Map([...expected].flatMap(([id, model]) => (model ? [[id, model] as const] : [])));
  const known = new Map([...shown].filter(([id]) => live.has(id)));
  const { missing, wrong } = compareAll(kind, known, live);
  const deleted = [...shown.keys()].filter(id => expected.get(id) === null);
  return {
    missing,
    wrong: [...wrong, ...deleted.map(id => `${kind} ${id} is shown, but was deleted at the processor`)],
  };
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

/** Events of another product's customers end as foreign, and no others do. */
function wrongForeignEvents({ events }: Snapshot, { foreignEvents }: ExpectedState): string[] {
  return events.flatMap(({ id, type, status, error, projectId }) => {
    const isForeign = status === 'ignored' && error === 'foreign' && projectId === null;
    if (isForeign === foreignEvents.has(id)) return [];
    const expected = isForeign ? 'an event of the project' : 'foreign';
    return [`${type} ${id} is ${status} in ${projectId}: ${error}, expected ${expected}`];
  });
}

function wrongAnalytics({ analytics, customers, codes, events }: Snapshot, { subscriptions }: ExpectedState): string[] {
  const { mrr, mrrTrialing, mrrPaused, mrrExcluded, mrrByCurrency } = analytics;
  const { subscriptionBreakdown, customerCount, webhookStats, referralStats } = analytics;
  const completed = events.filter(({ projectId, status }) => projectId !== null && status !== 'ignored');
  const referrals = codes.flatMap(it => it.referrals);
  const shown = {
    mrr,
    mrrTrialing,
    mrrPaused,
    mrrExcluded,
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
