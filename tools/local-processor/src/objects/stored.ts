import type { Stripe } from 'stripe';
import type { DiscountAmount } from '../domain/discounts.ts';
import type { Period } from '../domain/prorate.ts';

/**
 * An object of the API as it is stored and sent: fields that the library types as "id or object" contain the id, and
 * decimals, which the library decodes, are strings.
 */
type Stored<T> = {
  [K in keyof T]: [Extract<T[K], Stripe.Decimal>] extends [never]
    ? string extends T[K]
      ? Exclude<T[K], object>
      : T[K]
    : string | Exclude<T[K], object>;
};

type Replace<T, Changes> = Omit<T, keyof Changes> & Changes;

/** A name that is unset is null, as other fields are. */
export type Customer = Replace<Stored<Stripe.Customer>, { business_name?: string | null }>;
export type DeletedCustomer = Stripe.DeletedCustomer;
export type TaxId = Stored<Stripe.TaxId>;
export type Product = Stored<Stripe.Product>;
export type DeletedProduct = Stripe.DeletedProduct;
export type Price = Stored<Stripe.Price>;
export type Plan = Stored<Stripe.Plan>;
export type SubscriptionItem = Replace<
  Stored<Stripe.SubscriptionItem>,
  { discounts: string[]; price: Price; plan: Plan }
>;
type PendingUpdate = Replace<
  Stripe.Subscription.PendingUpdate,
  { discounts: string[] | null; subscription_items: SubscriptionItem[] | null }
>;
export type Subscription = Replace<
  Stored<Stripe.Subscription>,
  { discounts: string[]; items: Stripe.ApiList<SubscriptionItem>; pending_update: PendingUpdate | null }
>;
/** A discount of a phase or of an item of it: an existing one, or what it is made of. */
export type PhaseDiscount = { [Name in 'coupon' | 'discount' | 'promotion_code']: string | null };
/** A phase of a schedule, with the ids of what it names. */
export type Phase = Replace<
  Stored<Stripe.SubscriptionSchedule.Phase>,
  {
    discounts: PhaseDiscount[];
    items: Replace<
      Stripe.SubscriptionSchedule.Phase.Item,
      { discounts: PhaseDiscount[]; price: string; plan: string }
    >[];
  }
>;
export type SubscriptionSchedule = Replace<
  Stored<Stripe.SubscriptionSchedule>,
  {
    phases: Phase[];
    default_settings: Replace<Stripe.SubscriptionSchedule.DefaultSettings, { default_payment_method: string | null }>;
  }
>;
/** A price as invoice lines and items name it. */
interface Pricing {
  price_details: { price: string; product: string };
  type: 'price_details';
  unit_amount_decimal: string | null;
}
export type CreditedItems = Stripe.InvoiceItem.ProrationDetails.CreditedItems;
export type InvoiceItem = Replace<
  Stored<Stripe.InvoiceItem>,
  {
    pricing: Pricing;
    parent: {
      subscription_details: { subscription: string; subscription_item?: string };
      type: 'subscription_details';
    } | null;
    /** Of a proration. What was debited before has `credited_items`; what is debited has none. */
    proration_details?: {
      credited_items: CreditedItems | null;
      discount_amounts: DiscountAmount[];
    };
  }
>;
export type InvoiceLine = Replace<
  Stored<Stripe.InvoiceLineItem>,
  { pricing: Pricing; discount_amounts: DiscountAmount[] }
>;
export type Invoice = Replace<
  Stored<Stripe.Invoice>,
  {
    discounts: string[];
    lines: Stripe.ApiList<InvoiceLine>;
    parent: {
      quote_details: null;
      subscription_details: {
        metadata: Stripe.Metadata;
        subscription: string;
        subscription_proration_date?: number;
      };
      type: 'subscription_details';
    } | null;
  }
>;
export type Coupon = Stored<Stripe.Coupon>;
export type PromotionCode = Replace<Stored<Stripe.PromotionCode>, { promotion: { coupon: string; type: 'coupon' } }>;
export type Discount = Replace<Stored<Stripe.Discount>, { source: { coupon: string; type: 'coupon' } }>;
export type InvoicePayment = Replace<
  Stored<Stripe.InvoicePayment>,
  { payment: { payment_intent: string; type: 'payment_intent' } }
>;
export type PaymentMethod = Stored<Stripe.PaymentMethod>;
export type PaymentIntent = Stored<Stripe.PaymentIntent>;
export type SetupIntent = Stored<Stripe.SetupIntent>;
export type Charge = Stored<Stripe.Charge>;
export type TestClock = Stripe.TestHelpers.TestClock;
export type Refund = Stored<Stripe.Refund>;
export type Dispute = Stored<Stripe.Dispute>;
export type CustomerBalanceTransaction = Stored<Stripe.CustomerBalanceTransaction>;
export type LineItem = Replace<Stored<Stripe.LineItem>, { price: Price }>;
export type CheckoutSession = Stored<Stripe.Checkout.Session>;
export type WebhookEndpoint = Stripe.WebhookEndpoint;
export type EventType = Stripe.Event.Type;

export type PriceTier = Stored<Stripe.Price.Tier>;

/** What a price costs in one of its currencies. */
export interface CurrencyOption {
  custom_unit_amount: null;
  tax_behavior: 'exclusive' | 'inclusive' | 'unspecified';
  tiers: PriceTier[] | null;
  unit_amount: number | null;
  unit_amount_decimal: string | null;
}

/** An event without `pending_webhooks`, which is computed from its deliveries. `object` is JSON. */
export interface StoredEvent {
  id: string;
  type: EventType;
  created: number;
  object: string;
  previous: string | null;
  request: { id: string | null; idempotency_key: string | null } | null;
}

/** The delivery of one event to one endpoint. Times are milliseconds of the real clock. */
export interface Delivery {
  id: string;
  event: string;
  endpoint: string;
  type: EventType;
  status: 'scheduled' | 'held' | 'delivered' | 'failed' | 'dropped';
  attempts: number;
  createdAt: number;
  nextAttemptAt: number | null;
  deliveredAt: number | null;
  lastStatus: number | null;
  lastError: string | null;
}

/** One entry of the ledger: an object that a request created. */
export interface LedgerEntry {
  id: string;
  object: string;
  idempotencyKey: string | null;
  requestId: string | null;
  created: number;
}

/** Usage that a meter counts. */
export interface MeterEvent {
  id: string;
  identifier: string;
  /** The event name and the customer. */
  usage: string;
  value: number;
  timestamp: number;
  /** When it was taken, by the clock of its customer. */
  takenAt: number;
}

/** A thin event, as the API returns it. */
export interface ThinEvent {
  id: string;
  object: 'v2.core.event';
  type: string;
  /** ISO 8601. */
  created: string;
  livemode: boolean;
  related_object: { id: string; type: string; url: string } | null;
  data: object;
}

/** What was debited last for a subscription item, by the item's id: a later change credits it. */
export interface LastDebit {
  id: string;
  /** Without discounts and taxes, in the currency's smallest unit. */
  amount: number;
  period: Period;
  source: CreditedItems;
}

/** A change that waits for its payment, by the subscription's id. The API shows it as `pending_update`. */
export interface PendingChange {
  id: string;
  /** The invoice that applies the change once it is paid. */
  invoice: string;
  /** What becomes of the subscription. */
  changes: Partial<Subscription>;
  /** Metadata to merge, also from other changes meanwhile. */
  metadata: Stripe.Metadata;
  isNewPeriod: boolean;
  /** Discounts that are redeemed with the change. */
  discounts: Discount[];
  /** The prorations of the change: ids of invoice items. */
  items: string[];
  /** Items of earlier changes on the same invoice; they wait again if the change is dropped. */
  waiting: string[];
}

/** One discount that a request names: one that is there, or a coupon or promotion code to redeem. */
export interface WantedDiscount {
  coupon?: string | undefined;
  discount?: string | undefined;
  promotion_code?: string | undefined;
}

/** What a checkout session creates when it is paid; the API does not return it. */
export interface CheckoutPlan {
  id: string;
  lines: LineItem[];
  /** What the session names or the customer has entered; redeemed when it is paid. Absent in older data. */
  discounts?: WantedDiscount[];
  subscription: {
    description: string | null;
    metadata: Stripe.Metadata;
    trialDays: number | null;
    /** Absent in older data. */
    trialEndsWithoutMethod?: 'cancel' | 'create_invoice' | 'pause' | undefined;
  };
  payment: { description: string | null; metadata: Stripe.Metadata };
  invoiceCreation: { enabled: boolean; metadata: Stripe.Metadata };
  /** Whether payment saves the address and the name in the existing customer. */
  updates: { address: boolean; name: boolean };
  /** The payment or setup intent of an earlier, declined attempt. */
  paymentIntent: string | null;
  setupIntent: string | null;
  lastDecline: string | null;
}
