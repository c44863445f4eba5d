import type { z } from 'zod';
import type * as contracts from '@billing/contracts/problem';
import type { EventTypesOf } from '@billing/contracts/event-types';
import type { ProblemCode } from '@billing/contracts/problem-codes';
import type { ProblemDetails } from '@billing/contracts/problem-details';
import type { analyticsOperations } from '@billing/contracts/operations/analytics';
import type { catalogOperations } from '@billing/contracts/operations/catalog';
import type { customersOperations } from '@billing/contracts/operations/customers';
import type { discountOperations } from '@billing/contracts/operations/discounts';
import type { dunningOperations } from '@billing/contracts/operations/dunning';
import type { featureOperations } from '@billing/contracts/operations/features';
import type { outgoingOperations } from '@billing/contracts/operations/outgoing';
import type { planChangeOperations } from '@billing/contracts/operations/plan-changes';
import type { portalOperations } from '@billing/contracts/operations/portal';
import type { priceMigrationOperations } from '@billing/contracts/operations/price-migrations';
import type { referralsOperations } from '@billing/contracts/operations/referrals';
import type { subscriptionsOperations } from '@billing/contracts/operations/subscriptions';
import type { syncOperations } from '@billing/contracts/operations/syncs';
import type { webhooksOperations } from '@billing/contracts/operations/webhooks';
import type {
  analytics,
  analyticsCustomer,
  analyticsHistory,
  analyticsSubscription,
} from '@billing/contracts/resources/analytics';
import type { cancellationReason, subscriptionCancel } from '@billing/contracts/resources/cancellation';
import type { dunningCase, dunningTotals } from '@billing/contracts/resources/dunning';
import type { EVENT_DATA } from '@billing/contracts/resources/event-data';
import type { event } from '@billing/contracts/resources/event';
import type { checkoutCreate, checkoutSession } from '@billing/contracts/resources/checkout';
import type { featureCheck, customerState, entitlement } from '@billing/contracts/resources/customer-state';
import type {
  coupon,
  couponCreate,
  discountSet,
  promotionCode,
  promotionCodeCreate,
  promotionCodeUpdate,
} from '@billing/contracts/resources/discount';
import type {
  feature,
  featureCreate,
  featureUpdate,
  featureValue,
  grant,
  grantSet,
  productFeature,
  productFeatureSet,
} from '@billing/contracts/resources/feature';
import type { customer, customerCreate, customerUpdate } from '@billing/contracts/resources/customer';
import type { invoice } from '@billing/contracts/resources/invoice';
import type { portalConfig, portalConfigPreview, portalConfigUpdate } from '@billing/contracts/resources/portal-config';
import type {
  livePortalSession,
  portalSession,
  portalSessionCreate,
} from '@billing/contracts/resources/portal-session';
import type { planChange, planChangePreview } from '@billing/contracts/resources/plan-change';
import type { payment, paymentRefund, paymentTotals } from '@billing/contracts/resources/payment';
import type { Interval, price, priceCreate, priceUpdate } from '@billing/contracts/resources/price';
import type {
  migrationFinding,
  priceMigration,
  priceMigrationCreate,
} from '@billing/contracts/resources/price-migration';
import type { product, productCreate, productUpdate } from '@billing/contracts/resources/product';
import type {
  appliedReferral,
  referral,
  referralApply,
  referralCode,
  referralCodeCreate,
  referralConfig,
  referralConfigUpdate,
  referralCredit,
} from '@billing/contracts/resources/referral';
import type { subscription } from '@billing/contracts/resources/subscription';
import type { sync, syncCreate, syncFinding } from '@billing/contracts/resources/sync';
import type { webhookAttempt, webhookDelivery } from '@billing/contracts/resources/webhook-delivery';
import type {
  webhookEndpoint,
  webhookEndpointCreate,
  webhookEndpointUpdate,
  webhookRecovery,
} from '@billing/contracts/resources/webhook-endpoint';
import type { webhookEvent } from '@billing/contracts/resources/webhook-event';
import type { CursorFilters, Filters, RequestBody } from './request-types.ts';

// Responses: timestamps are ISO 8601 strings in UTC, amounts integers of the currency's smallest unit.
export type Product = z.input<typeof product>;
export type Price = z.input<typeof price>;
export type Customer = z.input<typeof customer>;
export type Subscription = z.input<typeof subscription>;
export type CanceledSubscription = z.input<typeof subscriptionsOperations.cancelSubscription.response>['subscription'];
/** What a change of plan costs: the payment processor's own figures. */
export type PlanChangePreview = z.input<typeof planChangePreview>;
/** A change that was made, its invoice, and the subscription after it. */
export type PlanChangeResult = z.input<typeof planChangeOperations.changePlan.response>;
export type CheckoutSession = z.input<typeof checkoutSession>;
export type Invoice = z.input<typeof invoice>;
/** An invoice of a subscription whose payment failed. */
export type DunningCase = z.input<typeof dunningCase>;
/** What the cases of each status amount to, by currency. */
export type DunningTotals = z.input<typeof dunningTotals>;
export type Payment = z.input<typeof payment>;
export type PaymentTotals = z.input<typeof paymentTotals>;
export type PortalSession = z.input<typeof portalSession>;
export type PortalPreview = z.input<typeof portalOperations.previewPortalConfig.response>;
export type LivePortalSession = z.input<typeof livePortalSession>;
/** What the portal lets customers do, and how it looks. */
export type PortalConfig = z.input<typeof portalConfig>;
export type Analytics = z.input<typeof analytics>;
export type AnalyticsHistory = z.input<typeof analyticsHistory>;
export type AnalyticsCustomer = z.input<typeof analyticsCustomer>;
export type AnalyticsSubscription = z.input<typeof analyticsSubscription>;
/** Why customers cancel, in the processor's words. */
export type CancellationReason = z.input<typeof cancellationReason>;
/** How many canceled for a reason; null for those that gave none. */
export type CancellationCount = z.input<typeof analyticsOperations.listCancellations.response>['cancellations'][number];
export type ReferralConfig = z.input<typeof referralConfig>;
export type ReferralCode = z.input<typeof referralCode>;
export type ReferralCodeHistory = z.input<typeof referralsOperations.getReferralCode.response>;
export type Referral = z.input<typeof referral>;
export type AppliedReferral = z.input<typeof appliedReferral>;
export type ReferralCredit = z.input<typeof referralCredit>;
/** A price reduction that subscriptions and checkouts can get. */
export type Coupon = z.input<typeof coupon>;
/** A code with which customers redeem a coupon. */
export type PromotionCode = z.input<typeof promotionCode>;
/** Something that products give, and that your product checks. */
export type Feature = z.input<typeof feature>;
/** What a feature gives: a boolean, a limit or `unlimited`, or one of the feature's values. */
export type FeatureValue = z.input<typeof featureValue>;
/** What a product or a price gives of a feature. */
export type ProductFeature = z.input<typeof productFeature>;
/** A feature that was given to one customer. */
export type Grant = z.input<typeof grant>;
/** What a customer may use of a feature. */
export type Entitlement = z.input<typeof entitlement>;
/** What a customer may use, and how far it is paid. */
export type CustomerState = z.input<typeof customerState>;
/** Whether a customer may use one feature. */
export type FeatureCheck = z.input<typeof featureCheck>;
export type WebhookEvent = z.input<typeof webhookEvent>;
export type Sync = z.input<typeof sync>;
export type SyncFinding = z.input<typeof syncFinding>;
/** A move of all subscriptions of one price to another. */
export type PriceMigration = z.input<typeof priceMigration>;
/** What a price migration does to a subscription. */
export type PriceMigrationFinding = z.input<typeof migrationFinding>;
/** An endpoint of yours that events are posted to. */
export type WebhookEndpoint = z.input<typeof webhookEndpoint>;
/** An endpoint with the secret that signs what it gets, which is shown this once. */
export type IssuedWebhookEndpoint = z.input<typeof outgoingOperations.createWebhookEndpoint.response>;
export type WebhookDelivery = z.input<typeof webhookDelivery>;
export type WebhookAttempt = z.input<typeof webhookAttempt>;
export type WebhookRecovery = z.input<typeof webhookRecovery>;
/** What every event has. */
export type EventHead = Omit<z.input<typeof event>, 'type' | 'object' | 'data' | 'previousAttributes' | 'truncated'>;
/** A customer's state as an event has it. */
export type EventState = z.input<typeof EVENT_DATA.customer_state>;
/** What an event says of a credit. */
export type EventCredit = z.input<typeof EVENT_DATA.referral_credit>;
/** The types of events, by what they are about. */
export type EventTypes = EventTypesOf;
/** The codes of the service's errors. */
export type ErrorCode = ProblemCode;
/** The `details` of the errors that callers act on, by code; amounts are in the currency's smallest unit. */
export type ErrorDetails = Pick<ProblemDetails, keyof ProblemDetails>;
/** An invalid field of a `validation_error`: its path in the request, and what is wrong with it. */
export type FieldError = Pick<contracts.FieldError, keyof contracts.FieldError>;

export type ProductCreate = RequestBody<typeof productCreate>;
export type ProductUpdate = RequestBody<typeof productUpdate>;
/** A recurring price, which needs an interval, or a one-time price, which has none. */
export type PriceCreate = Omit<RequestBody<typeof priceCreate>, 'type' | 'interval' | 'intervalCount'> &
  (
    | {
        readonly type?: 'recurring' | null | undefined;
        readonly interval: Interval;
        /** Number of intervals between billings; 1 by default. */
        readonly intervalCount?: number | null | undefined;
      }
    | { readonly type: 'one_time'; readonly interval?: null | undefined; readonly intervalCount?: null | undefined }
  );
export type PriceUpdate = RequestBody<typeof priceUpdate>;
export type CustomerCreate = RequestBody<typeof customerCreate>;
export type CustomerUpdate = RequestBody<typeof customerUpdate>;
/** A checkout of a subscription, optionally with a trial, or of a single payment. */
export type CheckoutCreate = Omit<RequestBody<typeof checkoutCreate>, 'mode' | 'trialDays'> &
  (
    | { readonly mode?: 'subscription' | null | undefined; readonly trialDays?: number | null | undefined }
    | { readonly mode: 'payment'; readonly trialDays?: null | undefined }
  );
/** A new price or quantity, or all `items` that the subscription is to have. */
export type PlanChange = Omit<RequestBody<typeof planChange, 'prorationDate'>, 'items' | 'priceId' | 'quantity'> &
  (
    | {
        readonly priceId?: string | null | undefined;
        readonly quantity?: number | null | undefined;
        readonly items?: null | undefined;
      }
    | {
        readonly items: readonly { readonly priceId: string; readonly quantity?: number | null | undefined }[];
        readonly priceId?: null | undefined;
        readonly quantity?: null | undefined;
      }
  );
/** What the customer says who cancels. */
export type SubscriptionCancel = RequestBody<typeof subscriptionCancel>;
/** The promotion code, by its text or id; null removes all discounts. */
export type DiscountSet = RequestBody<typeof discountSet>;
/** A percentage or an amount, for one invoice, some months or ever. */
export type CouponCreate = Omit<
  RequestBody<typeof couponCreate, 'redeemBy'>,
  'amountOff' | 'currency' | 'duration' | 'durationInMonths' | 'percentOff'
> &
  (
    | {
        readonly percentOff: number;
        readonly amountOff?: null | undefined;
        readonly currency?: null | undefined;
      }
    | { readonly amountOff: number; readonly currency: string; readonly percentOff?: null | undefined }
  ) &
  (
    | { readonly duration: 'repeating'; readonly durationInMonths: number }
    | { readonly duration: 'once' | 'forever'; readonly durationInMonths?: null | undefined }
  );
export type PromotionCodeCreate = RequestBody<typeof promotionCodeCreate, 'expiresAt'>;
export type PromotionCodeUpdate = RequestBody<typeof promotionCodeUpdate>;
/** A feature: on or off, a limit, or one of several values in ascending order. */
export type FeatureCreate = Omit<RequestBody<typeof featureCreate>, 'type' | 'values' | 'merge'> &
  (
    | { readonly type: 'boolean' }
    | {
        readonly type: 'limit';
        /** Whether the highest of several sources counts, or their sum; `max` by default. */
        readonly merge?: 'max' | 'sum';
      }
    | { readonly type: 'value'; readonly values: readonly string[] }
  );
export type FeatureUpdate = RequestBody<typeof featureUpdate>;
/** What to give; `per: 'quantity'` multiplies a limit by the quantity that is subscribed to. */
export type ProductFeatureSet = RequestBody<typeof productFeatureSet>;
/** What to give, until when, and why. */
export type GrantSet = RequestBody<typeof grantSet, 'expiresAt'>;
export type PaymentRefund = RequestBody<typeof paymentRefund>;
export type PortalConfigPreview = RequestBody<typeof portalConfigPreview>;
export type PortalConfigSet = RequestBody<typeof portalConfigUpdate>;
export type PortalSessionCreate = RequestBody<typeof portalSessionCreate>;
export type ReferralConfigUpdate = RequestBody<typeof referralConfigUpdate>;
export type ReferralCodeCreate = RequestBody<typeof referralCodeCreate>;
export type ReferralApply = RequestBody<typeof referralApply>;
export type SyncCreate = RequestBody<typeof syncCreate>;
/** `createdBefore` of the filter is an ISO 8601 string in UTC. */
export type PriceMigrationCreate = RequestBody<typeof priceMigrationCreate>;
export type WebhookEndpointCreate = RequestBody<typeof webhookEndpointCreate>;
export type WebhookEndpointUpdate = RequestBody<typeof webhookEndpointUpdate>;
/** `overlapMs` is how long the old secret signs too: up to 604,800,000 (a week), a day by default. */
export type WebhookSecretRotation = RequestBody<typeof outgoingOperations.rotateWebhookSecret.body>;
export type WebhookTest = RequestBody<typeof outgoingOperations.testWebhookEndpoint.body>;
/** Which past events are sent again: those that failed, those that it never got, or all of a time. */
export type WebhookRecoveryCreate = RequestBody<typeof outgoingOperations.recoverWebhookEvents.body, 'since' | 'until'>;

export type ProductFilters = Filters<typeof catalogOperations.listProducts>;
export type PriceFilters = Filters<typeof catalogOperations.listPrices>;
export type CouponFilters = Filters<typeof discountOperations.listCoupons>;
export type PromotionCodeFilters = Filters<typeof discountOperations.listPromotionCodes>;
export type GivenFeatureFilters = Filters<typeof featureOperations.listGivenFeatures>;
export type CustomerFilters = Filters<typeof customersOperations.listCustomers>;
export type SubscriptionFilters = Filters<typeof subscriptionsOperations.listSubscriptions>;
export type PortalSessionFilters = Filters<typeof portalOperations.listPortalSessions>;
export type InvoiceFilters = Filters<typeof subscriptionsOperations.listInvoices>;
export type DunningFilters = Filters<typeof dunningOperations.listDunningCases>;
export type PaymentFilters = Filters<typeof subscriptionsOperations.listPayments>;
/** `growthDays` is the window of what was collected: 1 to 365, 30 by default. */
export type PaymentTotalsWindow = Partial<z.output<typeof subscriptionsOperations.getPaymentTotals.query>>;
export type ReferralCodeFilters = Filters<typeof referralsOperations.listReferralCodes>;
export type ReferralFilters = Filters<typeof referralsOperations.listReferrals>;
export type ReferralCreditFilters = Filters<typeof referralsOperations.listReferralCredits>;
export type SyncFindingFilters = Filters<typeof syncOperations.listSyncFindings>;
export type PriceMigrationFindingFilters = Filters<typeof priceMigrationOperations.listPriceMigrationFindings>;
export type WebhookDeliveryFilters = CursorFilters<typeof outgoingOperations.listWebhookDeliveries>;
export type EventFilters = Omit<CursorFilters<typeof outgoingOperations.listEvents>, 'waitMs'>;
export type WebhookEventFilters = Filters<typeof webhooksOperations.listWebhookEvents>;
/** `growthDays` is the window of churn and growth: 1 to 365, 30 by default. */
export type AnalyticsWindow = Partial<z.output<typeof analyticsOperations.getAnalytics.query>>;
/** The metric whose subscriptions are listed is required. */
export type AnalyticsSubscriptionFilters = Filters<typeof analyticsOperations.listAnalyticsSubscriptions> & {
  readonly metric: z.output<typeof analyticsOperations.listAnalyticsSubscriptions.query>['metric'];
};
/** `days` is the number of UTC days, including today: 1 to 365, 30 by default. */
export type AnalyticsHistoryWindow = Partial<z.output<typeof analyticsOperations.getAnalyticsHistory.query>>;
