import type { z } from 'zod';
import type * as ids from '@billing/contracts/ids';
import type { analyticsOperations } from '@billing/contracts/operations/analytics';
import type { catalogOperations } from '@billing/contracts/operations/catalog';
import type { portalOperations } from '@billing/contracts/operations/portal';
import type { referralsOperations } from '@billing/contracts/operations/referrals';
import type { subscriptionsOperations } from '@billing/contracts/operations/subscriptions';
import type { webhooksOperations } from '@billing/contracts/operations/webhooks';
import type { analytics, analyticsHistory } from '@billing/contracts/resources/analytics';
import type { checkoutCreate, checkoutSession } from '@billing/contracts/resources/checkout';
import type { customer, customerCreate, customerUpdate } from '@billing/contracts/resources/customer';
import type { invoice } from '@billing/contracts/resources/invoice';
import type {
  livePortalSession,
  portalSession,
  portalSessionCreate,
} from '@billing/contracts/resources/portal-session';
import type { Interval, price, priceCreate, priceUpdate } from '@billing/contracts/resources/price';
import type { product, productCreate, productUpdate } from '@billing/contracts/resources/product';
import type {
  appliedReferral,
  referralApply,
  referralCode,
  referralCodeCreate,
  referralConfig,
  referralConfigUpdate,
  referralCredit,
} from '@billing/contracts/resources/referral';
import type { subscription } from '@billing/contracts/resources/subscription';
import type { webhookEvent } from '@billing/contracts/resources/webhook-event';
import type { PageOptions } from './pages.ts';

type KnownId =
  | ids.CustomerId
  | ids.InvoiceId
  | ids.PriceId
  | ids.ProductId
  | ids.ProjectId
  | ids.SubscriptionId
  | ids.TeamId;

/** What is sent. Ids are any text there: yours come from a database, which does not know their prefixes. */
type Sent<Schema extends z.ZodType> = {
  readonly [Field in keyof z.input<Schema>]: Loose<z.input<Schema>[Field]>;
};
type Loose<Field> = [Field] extends [KnownId | undefined] ? string | Exclude<Field, KnownId> : Field;

/** A list's filters, with the values themselves in place of their text in an address. */
type Filters<Listing extends { readonly query: z.ZodType }> = PageOptions & {
  readonly [Field in Exclude<keyof z.output<Listing['query']>, keyof PageOptions>]?:
    | Loose<z.output<Listing['query']>[Field]>
    | undefined;
};

// What comes back: timestamps are ISO 8601 UTC strings, amounts whole numbers of the smallest unit.
export type Product = z.input<typeof product>;
export type Price = z.input<typeof price>;
export type Customer = z.input<typeof customer>;
export type Subscription = z.input<typeof subscription>;
export type CanceledSubscription = z.input<typeof subscriptionsOperations.cancelSubscription.response>['subscription'];
export type CheckoutSession = z.input<typeof checkoutSession>;
export type Invoice = z.input<typeof invoice>;
export type PortalSession = z.input<typeof portalSession>;
export type LivePortalSession = z.input<typeof livePortalSession>;
export type Analytics = z.input<typeof analytics>;
export type AnalyticsHistory = z.input<typeof analyticsHistory>;
export type ReferralConfig = z.input<typeof referralConfig>;
export type ReferralCode = z.input<typeof referralCode>;
export type ReferralCodeHistory = z.input<typeof referralsOperations.getReferralCode.response>;
export type AppliedReferral = z.input<typeof appliedReferral>;
export type ReferralCredit = z.input<typeof referralCredit>;
export type WebhookEvent = z.input<typeof webhookEvent>;

export type ProductCreate = Sent<typeof productCreate>;
export type ProductUpdate = Sent<typeof productUpdate>;
/** A recurring price, which needs an interval, or a one-time one, which has none. */
export type PriceCreate = Omit<Sent<typeof priceCreate>, 'type' | 'interval' | 'intervalCount'> &
  (
    | {
        readonly type?: 'recurring' | undefined;
        readonly interval: Interval;
        /** Intervals between billings; 1 unless told. */
        readonly intervalCount?: number | undefined;
      }
    | { readonly type: 'one_time'; readonly interval?: undefined; readonly intervalCount?: undefined }
  );
export type PriceUpdate = Sent<typeof priceUpdate>;
export type CustomerCreate = Sent<typeof customerCreate>;
export type CustomerUpdate = Sent<typeof customerUpdate>;
/** A subscription, perhaps with a trial, or a single payment. */
export type CheckoutCreate = Omit<Sent<typeof checkoutCreate>, 'mode' | 'trialDays'> &
  (
    | { readonly mode?: 'subscription' | undefined; readonly trialDays?: number | undefined }
    | { readonly mode: 'payment'; readonly trialDays?: undefined }
  );
export type PortalSessionCreate = Sent<typeof portalSessionCreate>;
export type ReferralConfigUpdate = Sent<typeof referralConfigUpdate>;
export type ReferralCodeCreate = Sent<typeof referralCodeCreate>;
export type ReferralApply = Sent<typeof referralApply>;

export type ProductFilters = Filters<typeof catalogOperations.listProducts>;
export type PriceFilters = Filters<typeof catalogOperations.listPrices>;
export type SubscriptionFilters = Filters<typeof subscriptionsOperations.listSubscriptions>;
export type PortalSessionFilters = Filters<typeof portalOperations.listPortalSessions>;
export type InvoiceFilters = Filters<typeof subscriptionsOperations.listInvoices>;
export type ReferralCodeFilters = Filters<typeof referralsOperations.listReferralCodes>;
export type ReferralCreditFilters = Filters<typeof referralsOperations.listReferralCredits>;
export type WebhookEventFilters = Filters<typeof webhooksOperations.listWebhookEvents>;
/** `growthDays` (1 to 365, 30 unless told) is the window of churn and growth. */
export type AnalyticsWindow = Partial<z.output<typeof analyticsOperations.getAnalytics.query>>;
/** How many UTC days, today included: 1 to 365, 30 unless told. */
export type AnalyticsHistoryWindow = Partial<z.output<typeof analyticsOperations.getAnalyticsHistory.query>>;
