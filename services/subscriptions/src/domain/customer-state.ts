import type { PriceId, ProductId } from '@billing/contracts/ids';
import type { FeatureValue } from '@billing/contracts/resources/feature';
import type { SubscriptionStatus } from '@billing/contracts/resources/subscription';
import {
  mergeSources,
  timesQuantity,
  type Entitlement,
  type EntitlementSource,
  type FeatureRules,
} from './entitlements.ts';

const DAY_MS = 86_400_000;

/** A subscription as far as it decides what its customer may use. */
export interface GrantingSubscription {
  readonly id: string;
  readonly status: SubscriptionStatus;
  readonly cancelAtPeriodEnd: boolean;
  readonly cancelAt: Date | null;
  readonly currentPeriodStart: Date;
  readonly currentPeriodEnd: Date;
  readonly items: readonly { readonly priceId: PriceId | null; readonly quantity: number }[];
}

/** An open invoice of which a payment was tried. */
export interface OpenInvoice {
  readonly id: string;
  readonly subscriptionId: string | null;
  readonly finalizedAt: Date;
  readonly attempts: number;
  readonly nextAttemptAt: Date | null;
  readonly amountRemaining: number;
  readonly currency: string;
  readonly hostedInvoiceUrl: string | null;
}

/** What a price gives, those of its product included where the price says nothing else. */
export interface PriceGift {
  readonly productId: ProductId;
  readonly features: readonly { readonly key: string; readonly value: FeatureValue; readonly isPerQuantity: boolean }[];
}

/** What was given to one customer by hand. */
export interface CustomerGrant {
  readonly key: string;
  readonly value: FeatureValue;
  readonly expiresAt: Date | null;
}

/** All that decides the state of a customer. */
export interface CustomerRecords {
  readonly customerId: string;
  readonly subscriptions: readonly GrantingSubscription[];
  readonly openInvoices: readonly OpenInvoice[];
  readonly grants: readonly CustomerGrant[];
  readonly features: readonly FeatureRules[];
  readonly gifts: ReadonlyMap<string, PriceGift>;
  /** How long a subscription that is past due goes on granting. */
  readonly graceDays: number;
}

/** How far a customer has paid. Amounts are in the smallest unit of the currency. */
export interface PaymentState {
  readonly status: 'ok' | 'past_due' | 'unpaid';
  readonly pastDueSince: Date | null;
  readonly graceEndsAt: Date | null;
  readonly nextRetryAt: Date | null;
  readonly attempts: number;
  readonly amountDue: number;
  readonly currency: string | null;
  readonly hostedInvoiceUrl: string | null;
}

/** Whether a subscription grants, and until when it does by itself. */
export interface SubscriptionGrant {
  readonly grants: boolean;
  readonly grantsUntil: Date | null;
  readonly reason: Exclude<EntitlementSource['reason'], 'grant'> | null;
}

const NOTHING: SubscriptionGrant = { grants: false, grantsUntil: null, reason: null };

/** Returns what a customer may use at a time, by feature. A key that is not there means no. */
export function entitlementsOf(records: CustomerRecords, now: Date): ReadonlyMap<string, Entitlement> {
  const byKey = Map.groupBy(sourcesOf(records, now), ({ key }) => key);
  const merged = records.features.map(rules => {
    const sources = byKey.get(rules.key)?.map(({ source }) => source) ?? [];
    return [rules.key, mergeSources(rules, sources.toSorted(byId))] as const;
  });
  return new Map(merged.flatMap(([key, entitlement]) => (entitlement ? [[key, entitlement]] : [])));
}

const byId = (a: EntitlementSource, b: EntitlementSource): number =>
  `${a.kind} ${a.id} ${a.priceId}`.localeCompare(`${b.kind} ${b.id} ${b.priceId}`);

/**
 * Returns whether a subscription grants at a time: while it is active or in a trial, and when it is past due until the end of
 * the grace. It ends by itself at the end of its period when it is set to cancel.
 */
export function grantOf(subscription: GrantingSubscription, records: CustomerRecords, now: Date): SubscriptionGrant {
  const { status, cancelAtPeriodEnd, cancelAt, currentPeriodEnd } = subscription;
  const endsAt = cancelAt ?? (cancelAtPeriodEnd ? currentPeriodEnd : null);
  if (status === 'active') return { grants: true, grantsUntil: endsAt, reason: 'active' };
  if (status === 'trialing') return { grants: true, grantsUntil: endsAt, reason: 'trial' };
  if (status !== 'past_due') return NOTHING;
  const graceEndsAt = afterGrace(pastDueSince(subscription, records.openInvoices), records.graceDays);
  if (graceEndsAt <= now) return NOTHING;
  return { grants: true, grantsUntil: endsAt && endsAt < graceEndsAt ? endsAt : graceEndsAt, reason: 'grace' };
}

/** Returns how far a customer has paid: by the worst of the subscriptions, and the open invoices whose payment failed. */
export function paymentOf({ subscriptions, openInvoices, graceDays }: CustomerRecords): PaymentState {
  const has = (wanted: SubscriptionStatus): boolean => subscriptions.some(({ status }) => status === wanted);
  const status = has('unpaid') ? 'unpaid' : has('past_due') ? 'past_due' : 'ok';
  const invoices = openInvoices.toSorted(byFinalization);
  const [earliest] = invoices;
  const since = status === 'past_due' ? subscriptions.filter(it => it.status === 'past_due') : [];
  const dates = since.map(one => pastDueSince(one, openInvoices).getTime());
  const pastDue = dates.length > 0 ? new Date(Math.min(...dates)) : (earliest?.finalizedAt ?? null);
  const retries = invoices.flatMap(({ nextAttemptAt }) => nextAttemptAt?.getTime() ?? []);
  return {
    status,
    pastDueSince: status === 'ok' ? null : pastDue,
    graceEndsAt: status === 'past_due' && pastDue ? afterGrace(pastDue, graceDays) : null,
    nextRetryAt: retries.length > 0 ? new Date(Math.min(...retries)) : null,
    attempts: earliest?.attempts ?? 0,
    amountDue: invoices
      .filter(({ currency }) => currency === earliest?.currency)
      .reduce((sum, { amountRemaining }) => sum + amountRemaining, 0),
    currency: earliest?.currency ?? null,
    hostedInvoiceUrl: earliest?.hostedInvoiceUrl ?? null,
  };
}

/** When time alone next takes something away: the first end after `now` of a grace or a grant; null when none comes. */
export function nextChangeAt(
  { subscriptions, openInvoices, grants, graceDays }: CustomerRecords,
  now: Date,
): Date | null {
  const inGrace = subscriptions.filter(({ status }) => status === 'past_due');
  const graceEnds = inGrace.map(one => afterGrace(pastDueSince(one, openInvoices), graceDays));
  const ends = [...graceEnds, ...grants.flatMap(({ expiresAt }) => expiresAt ?? [])];
  const coming = ends.filter(end => end > now).map(end => end.getTime());
  return coming.length > 0 ? new Date(Math.min(...coming)) : null;
}

interface KeyedSource {
  readonly key: string;
  readonly source: EntitlementSource;
}

function sourcesOf(records: CustomerRecords, now: Date): readonly KeyedSource[] {
  const { customerId, grants, subscriptions } = records;
  const given = grants
    .filter(({ expiresAt }) => !expiresAt || expiresAt > now)
    .map(({ key, value, expiresAt }): KeyedSource => {
      const origin = { kind: 'grant', id: customerId, productId: null, priceId: null, reason: 'grant' } as const;
      return { key, source: { ...origin, value, quantity: 1, until: expiresAt } };
    });
  return [...given, ...subscriptions.flatMap(one => sourcesOfSubscription(one, records, now))];
}

function sourcesOfSubscription(
  subscription: GrantingSubscription,
  records: CustomerRecords,
  now: Date,
): readonly KeyedSource[] {
  const { reason, grantsUntil } = grantOf(subscription, records, now);
  if (!reason) return [];
  return subscription.items.flatMap(({ priceId, quantity }) => {
    const gift = priceId === null ? undefined : records.gifts.get(priceId);
    return (gift?.features ?? []).map(({ key, value, isPerQuantity }) => {
      const origin = {
        kind: 'subscription',
        id: subscription.id,
        productId: gift?.productId ?? null,
        priceId,
      } as const;
      const times = isPerQuantity ? timesQuantity(value, quantity) : value;
      return { key, source: { ...origin, value: times, quantity, until: grantsUntil, reason } };
    });
  });
}

/**
 * Since when a subscription is past due: the earliest finalization of its open invoices whose payment failed. One that is
 * past due without any, since nothing is collected by itself, is so from the beginning of its period.
 */
function pastDueSince({ id, currentPeriodStart }: GrantingSubscription, invoices: readonly OpenInvoice[]): Date {
  const [earliest] = invoices.filter(({ subscriptionId }) => subscriptionId === id).toSorted(byFinalization);
  return earliest?.finalizedAt ?? currentPeriodStart;
}

const afterGrace = (since: Date, graceDays: number): Date => new Date(since.getTime() + graceDays * DAY_MS);

const byFinalization = (a: OpenInvoice, b: OpenInvoice): number =>
  a.finalizedAt.getTime() - b.finalizedAt.getTime() || a.id.localeCompare(b.id);
