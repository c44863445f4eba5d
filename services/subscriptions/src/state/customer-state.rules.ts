import { isDeepStrictEqual } from 'node:util';
import type { PriceId, ProductId } from '@billing/contracts/ids';
import type { CustomerState } from '@billing/contracts/resources/customer-state';
import type { FeatureValue, ProductFeature } from '@billing/contracts/resources/feature';
import type { SubscriptionStatus } from '@billing/contracts/resources/subscription';
import {
  mergeSources,
  timesQuantity,
  type Entitlement,
  type EntitlementSource,
  type FeatureRules,
} from './entitlements.rules.ts';

const DAY_MS = 86_400_000;

/** A subscription as far as it decides what its customer may use. */
export interface GrantingSubscription {
  readonly id: string;
  readonly status: SubscriptionStatus;
  readonly cancelAtPeriodEnd: boolean;
  readonly cancelAt: Date | null;
  readonly currentPeriodStart: Date;
  readonly currentPeriodEnd: Date;
  /** Null unless its payments are paused. */
  readonly pauseBehavior: string | null;
  readonly items: readonly { readonly priceId: PriceId | null; readonly quantity: number }[];
}

/** An invoice that is open. */
export interface OpenInvoice {
  readonly id: string;
  readonly subscriptionId: string | null;
  readonly finalizedAt: Date;
  /** Until when the customer is to pay it; null when the processor collects it. */
  readonly dueDate: Date | null;
  /** Whether the processor has tried to collect it. */
  readonly attempted: boolean;
  readonly attempts: number;
  readonly nextAttemptAt: Date | null;
  readonly amountRemaining: number;
  readonly currency: string;
  readonly hostedInvoiceUrl: string | null;
}

/** What a price gives, by feature; where the price says nothing else, what its product gives. */
export interface PriceFeatures {
  readonly productId: ProductId;
  readonly features: ReadonlyMap<string, Pick<ProductFeature, 'value' | 'per'>>;
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
  readonly priceFeatures: ReadonlyMap<string, PriceFeatures>;
  /** How long a subscription that is past due goes on granting. */
  readonly graceDays: number;
  /** Whether a subscription goes on granting while its payments are paused. */
  readonly grantsWhilePaused: boolean;
}

/** Whether a subscription grants, and until when it does by itself. */
export interface SubscriptionGrant {
  readonly grants: boolean;
  readonly grantsUntil: Date | null;
  readonly reason: Exclude<EntitlementSource['reason'], 'grant'> | null;
}

const NOTHING: SubscriptionGrant = { grants: false, grantsUntil: null, reason: null };

/** A subscription as far as it decides the state of its customer. */
type Deciding = Omit<GrantingSubscription, 'id' | 'pauseBehavior'> & {
  readonly pauseCollection: object | null;
  readonly pendingChange: { readonly hostedInvoiceUrl: string | null } | null;
};

/**
 * Returns whether a change of a subscription may change what its customer may use, or how far payments are past due. A new period
 * of a subscription that goes on does not.
 */
export function concernsState(before: Deciding | null, after: Deciding): boolean {
  return before === null || !isDeepStrictEqual(decisive(before), decisive(after));
}

function decisive({ status, cancelAtPeriodEnd, cancelAt, pendingChange, pauseCollection, ...subscription }: Deciding) {
  const { currentPeriodStart, currentPeriodEnd, items } = subscription;
  return {
    status,
    endsAt: cancelAt ?? (cancelAtPeriodEnd ? currentPeriodEnd : null),
    since: status === 'active' || status === 'trialing' ? null : currentPeriodStart,
    items: items.map(({ priceId, quantity }) => ({ priceId, quantity })),
    isPaused: pauseCollection !== null,
    pending: pendingChange?.hostedInvoiceUrl ?? null,
  };
}

/** Returns what a customer may use at a time, by feature. A key that is not there means no. */
export function entitlementsOf(records: CustomerRecords, now: Date): ReadonlyMap<string, Entitlement> {
  const billed = billedItems(records, now);
  const merged = records.features.map(
    rules => [rules.key, mergeSources(rules, sourcesOf(rules.key, billed, { records, now }))] as const,
  );
  return new Map(merged.flatMap(([key, entitlement]) => (entitlement ? [[key, entitlement]] : [])));
}

/**
 * Returns whether a subscription grants at a time: while it is active or in a trial, and when it is past due until the end of
 * the grace. It ends by itself at the end of its period when it is set to cancel. While its payments are paused it grants if the
 * project wants that.
 */
export function grantOf(subscription: GrantingSubscription, records: CustomerRecords, now: Date): SubscriptionGrant {
  const { status, cancelAtPeriodEnd, cancelAt, currentPeriodEnd, pauseBehavior } = subscription;
  if (pauseBehavior !== null && !records.grantsWhilePaused) return NOTHING;
  const endsAt = cancelAt ?? (cancelAtPeriodEnd ? currentPeriodEnd : null);
  if (status === 'active') return { grants: true, grantsUntil: endsAt, reason: 'active' };
  if (status === 'trialing') return { grants: true, grantsUntil: endsAt, reason: 'trial' };
  if (status !== 'past_due') return NOTHING;
  const graceEndsAt = afterGrace(pastDueSince(subscription, records.openInvoices), records.graceDays);
  if (graceEndsAt <= now) return NOTHING;
  return { grants: true, grantsUntil: endsAt && endsAt < graceEndsAt ? endsAt : graceEndsAt, reason: 'grace' };
}

/** Returns how far a customer has paid: by the worst of the subscriptions, and the invoices that are open. */
export function paymentOf({ subscriptions, openInvoices, graceDays }: CustomerRecords): CustomerState['payment'] {
  const sinceOf = (wanted: SubscriptionStatus): readonly Date[] =>
    subscriptions.filter(({ status }) => status === wanted).map(one => pastDueSince(one, openInvoices));
  const [unpaid, pastDue] = [sinceOf('unpaid'), sinceOf('past_due')];
  const graceFrom = earliestOf(pastDue);
  const invoices = openInvoices.toSorted(byFinalization);
  const [earliest] = invoices;
  return {
    status: unpaid.length > 0 ? 'unpaid' : pastDue.length > 0 ? 'past_due' : 'ok',
    pastDueSince: earliestOf([...unpaid, ...pastDue]),
    graceEndsAt: graceFrom && afterGrace(graceFrom, graceDays),
    nextRetryAt: earliestOf(invoices.flatMap(({ nextAttemptAt }) => nextAttemptAt ?? [])),
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
  return earliestOf(ends.filter(end => end > now));
}

/** An item of a subscription that grants. */
interface BilledItem extends Omit<SubscriptionGrant, 'grants'>, PriceFeatures {
  readonly id: string;
  readonly priceId: PriceId;
  readonly quantity: number;
  readonly reason: NonNullable<SubscriptionGrant['reason']>;
}

/** Returns the items that give anything, in the order in which sources are listed. */
function billedItems(records: CustomerRecords, now: Date): readonly BilledItem[] {
  const items = records.subscriptions.flatMap(subscription => {
    const { reason, grantsUntil } = grantOf(subscription, records, now);
    if (!reason) return [];
    return subscription.items.flatMap(({ priceId, quantity }) => {
      const given = priceId === null ? undefined : records.priceFeatures.get(priceId);
      return priceId !== null && given
        ? [{ id: subscription.id, priceId, quantity, reason, grantsUntil, ...given }]
        : [];
    });
  });
  return items.toSorted((a, b) => a.id.localeCompare(b.id) || a.priceId.localeCompare(b.priceId));
}

/** Returns what gives one feature: all features of many subscriptions at once would take too much memory. */
function sourcesOf(
  wanted: string,
  billed: readonly BilledItem[],
  { records: { customerId, grants }, now }: { readonly records: CustomerRecords; readonly now: Date },
): readonly EntitlementSource[] {
  const given = grants
    .filter(({ key, expiresAt }) => key === wanted && (!expiresAt || expiresAt > now))
    .map(({ value, expiresAt }): EntitlementSource => {
      const origin = { kind: 'grant', id: customerId, productId: null, priceId: null, reason: 'grant' } as const;
      return { ...origin, value, quantity: 1, until: expiresAt };
    });
  const bought = billed.flatMap(
    ({ id, priceId, productId, quantity, reason, grantsUntil, features }): EntitlementSource[] => {
      const feature = features.get(wanted);
      if (!feature) return [];
      const value = feature.per === 'quantity' ? timesQuantity(feature.value, quantity) : feature.value;
      return [{ kind: 'subscription', id, productId, priceId, value, quantity, until: grantsUntil, reason }];
    },
  );
  return [...given, ...bought];
}

/**
 * Since when a subscription is past due: the earliest finalization of its open invoices whose payment failed; of those that
 * the customer is to pay without being charged, the day by which they were due. While it is not recorded that a payment
 * failed, it is the finalization of the newest open invoice, or the beginning of the period, which the invoice would be for.
 */
function pastDueSince({ id, currentPeriodStart }: GrantingSubscription, invoices: readonly OpenInvoice[]): Date {
  const own = bySubscription(invoices).get(id) ?? [];
  const since = own.flatMap(({ dueDate, attempted, finalizedAt }) => dueDate ?? (attempted ? finalizedAt : []));
  return earliestOf(since) ?? latestOf([currentPeriodStart, ...own.map(({ finalizedAt }) => finalizedAt)]);
}

/** Grouped once for all subscriptions of a customer: both may be many. */
const grouped = new WeakMap<readonly OpenInvoice[], ReadonlyMap<string | null, readonly OpenInvoice[]>>();

function bySubscription(invoices: readonly OpenInvoice[]): ReadonlyMap<string | null, readonly OpenInvoice[]> {
  const known = grouped.get(invoices) ?? Map.groupBy(invoices, ({ subscriptionId }) => subscriptionId);
  grouped.set(invoices, known);
  return known;
}

const earliestOf = (times: readonly Date[]): Date | null =>
  times.length > 0 ? new Date(times.reduce((least, time) => Math.min(least, time.getTime()), Infinity)) : null;

const latestOf = (times: readonly Date[]): Date => new Date(Math.max(...times.map(time => time.getTime())));

const afterGrace = (since: Date, graceDays: number): Date => new Date(since.getTime() + graceDays * DAY_MS);

const byFinalization = (a: OpenInvoice, b: OpenInvoice): number =>
  a.finalizedAt.getTime() - b.finalizedAt.getTime() || a.id.localeCompare(b.id);
