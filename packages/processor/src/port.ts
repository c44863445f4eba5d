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

/** A payment method, with the fields that may be shown. */
export interface PaymentMethodSnapshot {
  readonly id: string;
  readonly type: string;
  /** Null for other types. */
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
  /** `{CHECKOUT_SESSION_ID}` is sent to the processor unchanged. */
  readonly successUrl: string;
  readonly cancelUrl: string;
  /** Only in subscription mode. */
  readonly trialDays?: number;
  /** For the session and for the subscription or payment that it creates. */
  readonly metadata: Metadata;
}

export interface NewSetupSession {
  readonly customerId: string;
  readonly currency: string;
  readonly successUrl: string;
  readonly cancelUrl: string;
  readonly metadata: Metadata;
}

/** Selects events; the processor stores them for 30 days. */
export interface EventFilter {
  /** Only events that some webhook endpoint has not accepted: pending, or given up. */
  readonly undeliveredOnly?: boolean | undefined;
  /** Only events of this second or later. */
  readonly createdFrom?: Date | undefined;
}

export interface EventPage {
  readonly events: readonly ({ readonly id: string } & Readonly<Record<string, unknown>>)[];
  /** Whether there are older events; `startingAfter` with the last id of this page lists them. */
  readonly hasMore: boolean;
}

/**
 * The payment processor of one team. Every write takes an idempotency key made from our own operation, so that a repeat
 * is the same write. Amounts are in the currency's smallest unit. Ids are the processor's.
 *
 * Methods throw `ProcessorError` when the processor refuses, and Problem `unavailable` when it does not respond in time
 * or responds with 429.
 */
export interface Processor {
  /** Finds the account that the secret key belongs to. */
  findAccount(): Promise<{ readonly accountId: string }>;

  createCustomer(
    customer: { email: string; name?: string | undefined; metadata: Metadata },
    idempotencyKey: string,
  ): Promise<LiveCustomerSnapshot>;
  findCustomer(id: string): Promise<CustomerSnapshot>;
  /** Matches the exact spelling only; newest first. */
  listCustomersByEmail(email: string): Promise<LiveCustomerSnapshot[]>;
  /** Merges metadata: a key with an empty value is removed. */
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
    /** An empty description or default price is removed. */
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
  /** Creates a hosted page on which a customer saves a payment method. */
  createSetupSession(session: NewSetupSession, idempotencyKey: string): Promise<CheckoutSessionSnapshot>;
  findCheckoutSession(id: string): Promise<CheckoutSessionSnapshot>;
  /** Finds the payment method that a completed setup session saved. */
  findSavedPaymentMethod(setupIntentId: string): Promise<{ readonly paymentMethodId: string | null }>;

  findSubscription(id: string): Promise<SubscriptionSnapshot>;
  /** Lists all subscriptions of a customer, also the ended ones. */
  listSubscriptions(customerId: string): Promise<SubscriptionSnapshot[]>;
  /** False clears whichever of `cancel_at_period_end` and `cancel_at` is set. */
  setCancelAtPeriodEnd(id: string, cancelAtPeriodEnd: boolean, idempotencyKey: string): Promise<SubscriptionSnapshot>;
  /** Cancels a subscription at once. */
  cancelSubscription(id: string, idempotencyKey: string): Promise<SubscriptionSnapshot>;
  setSubscriptionPaymentMethod(
    id: string,
    paymentMethodId: string,
    idempotencyKey: string,
  ): Promise<SubscriptionSnapshot>;

  findInvoice(id: string): Promise<InvoiceSnapshot>;

  /** Finds the customer's default payment method, else the newest; null when there is none. */
  findPaymentMethod(customerId: string): Promise<PaymentMethodSnapshot | null>;

  /** A negative amount is a credit for the next invoices. https://docs.stripe.com/invoicing/customer/balance */
  createBalanceTransaction(
    customerId: string,
    transaction: { amount: number; currency: string; description: string; metadata: Metadata },
    idempotencyKey: string,
  ): Promise<{ readonly id: string }>;
  /** Finds the newest of a customer's transactions since a time that has all of this metadata; null for none. */
  findBalanceTransaction(
    customerId: string,
    wanted: { metadata: Metadata; createdFrom: Date },
  ): Promise<{ readonly id: string } | null>;

  /**
   * Lists one page of at most 100 events, as the processor sends them to webhooks, newest first; `listEveryEvent` lists
   * all pages. https://docs.stripe.com/api/events/list
   */
  listEvents(filter: EventFilter & { readonly startingAfter?: string | undefined }): Promise<EventPage>;
}
