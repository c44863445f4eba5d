import type { PriceSnapshot, ProductSnapshot } from './snapshots/catalog.ts';
import type { CheckoutSessionSnapshot } from './snapshots/checkout-session.ts';
import type { CustomerSnapshot } from './snapshots/customer.ts';
import type { InvoiceSnapshot } from './snapshots/invoice.ts';
import type { SubscriptionSnapshot } from './snapshots/subscription.ts';
import type { Interval } from '@billing/contracts/resources/price';

export type { CheckoutSessionSnapshot, CustomerSnapshot, PriceSnapshot, ProductSnapshot, SubscriptionSnapshot };

/** A customer that the processor has not deleted. */
export type LiveCustomerSnapshot = Extract<CustomerSnapshot, { deleted: false }>;

type Metadata = Readonly<Record<string, string>>;

/** A card or other means of payment, as far as it may be shown. */
export interface PaymentMethodSnapshot {
  readonly id: string;
  readonly type: string;
  /** Only of a card. */
  readonly card: {
    readonly brand: string;
    readonly last4: string;
    readonly expMonth: number;
    readonly expYear: number;
  } | null;
}

export interface CheckoutLine {
  readonly priceId: string;
  readonly quantity: number;
}

export interface NewCheckoutSession {
  readonly mode: 'subscription' | 'payment';
  readonly customerId: string;
  readonly line: CheckoutLine;
  /** `{CHECKOUT_SESSION_ID}` reaches the processor as it stands. */
  readonly successUrl: string;
  readonly cancelUrl: string;
  /** Whole days, only in subscription mode. */
  readonly trialDays?: number;
  /** Goes to the session and to the subscription or payment it makes. */
  readonly metadata: Metadata;
}

export interface NewSetupSession {
  readonly customerId: string;
  readonly currency: string;
  readonly successUrl: string;
  readonly cancelUrl: string;
  readonly metadata: Metadata;
}

/** Which events are meant; the processor keeps them for 30 days. */
export interface EventFilter {
  /** Only those that some webhook endpoint has not accepted: still under way, or given up. */
  readonly undeliveredOnly?: boolean | undefined;
  /** Only those of this second or later. */
  readonly createdFrom?: Date | undefined;
}

export interface EventPage {
  readonly events: readonly ({ readonly id: string } & Readonly<Record<string, unknown>>)[];
  /** Whether there are older ones: `startingAfter` with the id of the last of these gives them. */
  readonly hasMore: boolean;
}

/**
 * The payment processor of one team. Every write takes an idempotency key made from our own operation, so that a
 * repeat neither doubles nor loses it. Amounts are in the currency's smallest unit. Ids are the processor's.
 *
 * Methods throw `ProcessorError` when the processor refuses, and Problem `unavailable` when it does not answer in time
 * or asks to slow down.
 */
export interface Processor {
  /** Which account the key belongs to. */
  findAccount(): Promise<{ readonly accountId: string }>;

  createCustomer(
    customer: { email: string; name?: string | undefined; metadata: Metadata },
    idempotencyKey: string,
  ): Promise<LiveCustomerSnapshot>;
  findCustomer(id: string): Promise<CustomerSnapshot>;
  /** The exact spelling only; oldest last. */
  listCustomersByEmail(email: string): Promise<LiveCustomerSnapshot[]>;
  /** Metadata is merged: a key with an empty value is removed. */
  updateCustomer(
    id: string,
    changes: {
      email?: string | undefined;
      name?: string | undefined;
      metadata?: Metadata | undefined;
      defaultPaymentMethodId?: string | undefined;
    },
    idempotencyKey: string,
  ): Promise<LiveCustomerSnapshot>;

  createProduct(
    product: { name: string; description?: string | undefined; metadata: Metadata },
    idempotencyKey: string,
  ): Promise<ProductSnapshot>;
  findProduct(id: string): Promise<ProductSnapshot>;
  updateProduct(
    id: string,
    /** An empty description or default price removes it. */
    changes: {
      name?: string | undefined;
      description?: string | undefined;
      isActive?: boolean | undefined;
      defaultPriceId?: '' | undefined;
      metadata?: Metadata | undefined;
    },
    idempotencyKey: string,
  ): Promise<ProductSnapshot>;

  createPrice(
    price: {
      productId: string;
      unitAmount: number;
      currency: string;
      recurring: { interval: Interval; intervalCount: number } | null;
      metadata: Metadata;
    },
    idempotencyKey: string,
  ): Promise<PriceSnapshot>;
  findPrice(id: string): Promise<PriceSnapshot>;
  updatePrice(
    id: string,
    changes: { isActive?: boolean | undefined; metadata?: Metadata | undefined },
    idempotencyKey: string,
  ): Promise<PriceSnapshot>;

  createCheckoutSession(session: NewCheckoutSession, idempotencyKey: string): Promise<CheckoutSessionSnapshot>;
  /** A hosted page on which a customer saves a payment method. */
  createSetupSession(session: NewSetupSession, idempotencyKey: string): Promise<CheckoutSessionSnapshot>;
  findCheckoutSession(id: string): Promise<CheckoutSessionSnapshot>;
  /** The payment method that a completed setup session saved. */
  findSavedPaymentMethod(setupIntentId: string): Promise<{ readonly paymentMethodId: string | null }>;

  findSubscription(id: string): Promise<SubscriptionSnapshot>;
  /** All of a customer's, ended ones too. */
  listSubscriptions(customerId: string): Promise<SubscriptionSnapshot[]>;
  /** Taking it back clears whichever of the two ways of ending is set. */
  setCancelAtPeriodEnd(id: string, cancelAtPeriodEnd: boolean, idempotencyKey: string): Promise<SubscriptionSnapshot>;
  /** Cancels now. */
  cancelSubscription(id: string, idempotencyKey: string): Promise<SubscriptionSnapshot>;
  setSubscriptionPaymentMethod(
    id: string,
    paymentMethodId: string,
    idempotencyKey: string,
  ): Promise<SubscriptionSnapshot>;

  findInvoice(id: string): Promise<InvoiceSnapshot>;

  /** The one that pays when nothing else is said: the customer's default, else the newest; null when there is none. */
  findPaymentMethod(customerId: string): Promise<PaymentMethodSnapshot | null>;

  /** A negative amount is a credit that the next invoices use up. https://docs.stripe.com/invoicing/customer/balance */
  createBalanceTransaction(
    customerId: string,
    transaction: { amount: number; currency: string; description: string; metadata: Metadata },
    idempotencyKey: string,
  ): Promise<{ readonly id: string }>;
  /** The newest of a customer's transactions since a time that carries all of this metadata, or null. */
  findBalanceTransaction(
    customerId: string,
    wanted: { metadata: Metadata; createdFrom: Date },
  ): Promise<{ readonly id: string } | null>;

  /**
   * One page of at most 100 events, as the processor sends them to webhooks, newest first; `listEveryEvent` takes
   * them all. https://docs.stripe.com/api/events/list
   */
  listEvents(filter: EventFilter & { readonly startingAfter?: string | undefined }): Promise<EventPage>;
}
