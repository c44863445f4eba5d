import type { PriceSnapshot, ProductSnapshot } from './snapshots/catalog.ts';
import type { CreatedFilter } from './created-filter.ts';
import type { Discounts } from './discounts.ts';
import type { Invoicing } from './invoicing.ts';
import type { PlanChanges } from './plan-changes.ts';
import type { Checkouts, Selling } from './selling.ts';
import type { TestClocks } from './test-clocks.ts';
import type { CheckoutSessionSnapshot } from './snapshots/checkout-session.ts';
import type { BillingSnapshot, CustomerSnapshot, TaxIdSnapshot } from './snapshots/customer.ts';
import type { InvoicePreview } from './snapshots/invoice-preview.ts';
import type { InvoicePaymentSnapshot, InvoiceSnapshot } from './snapshots/invoice.ts';
import type { ChargeSnapshot, RefundSnapshot } from './snapshots/payments.ts';
import type { SubscriptionSnapshot } from './snapshots/subscription.ts';
import type { Usage } from './usage.ts';
import type { Cancellation } from '@billing/contracts/resources/cancellation';
import type { ProcessorEventType, ProcessorObject } from '@billing/contracts/processor-events';
import type { PaymentMethod, RefundReason } from '@billing/contracts/resources/payment';
import type { Interval, TaxBehavior } from '@billing/contracts/resources/price';
import type { ProductTextChanges } from '@billing/contracts/resources/product';
import type { SyncType } from '@billing/contracts/resources/sync';

export type { BillingSnapshot, TaxIdSnapshot };
export type { CheckoutSessionSnapshot, CustomerSnapshot, PriceSnapshot, ProductSnapshot, SubscriptionSnapshot };

/** A customer that the processor has not deleted. */
export type LiveCustomerSnapshot = Extract<CustomerSnapshot, { deleted: false }>;

type Metadata = Readonly<Record<string, string>>;

/** A payment method, with the fields that may be shown. */
export interface PaymentMethodSnapshot extends PaymentMethod {
  readonly id: string;
  /** Of a card. */
  readonly expiry: { readonly expMonth: number; readonly expYear: number } | null;
}

/** The payment methods of a customer; a subscription's own one comes before the customer's. */
export interface PaymentMethodsInUse {
  /** Null when the customer has none. */
  readonly customerDefault: PaymentMethodSnapshot | null;
  /** By the id of each subscription that has one of its own and has not ended. */
  readonly ofSubscriptions: ReadonlyMap<string, PaymentMethodSnapshot>;
  /** Ids of the subscriptions whose invoices are sent to the customer, and charged to nothing. */
  readonly byInvoice: ReadonlySet<string>;
}

/** Billing details to change; an empty value clears one. */
export interface BillingChanges extends Partial<BillingSnapshot> {
  /** Refuses an address for which tax cannot be computed. */
  readonly validatesLocation?: boolean;
}

/** What a price is to cost in another currency than its own, and whether that contains the tax. */
interface AmountChange {
  readonly unitAmount?: number | undefined;
  readonly taxBehavior?: TaxBehavior | undefined;
}

/** A payment: its payment intent, or a charge without one. */
export type RefundedPayment = { readonly paymentIntentId: string } | { readonly chargeId: string };

/** A pause of payments. https://docs.stripe.com/billing/subscriptions/pause-payment */
export interface NewPause {
  /** What happens to invoices meanwhile. */
  readonly behavior: 'keep_as_draft' | 'mark_uncollectible' | 'void';
  /** Null until someone resumes it. */
  readonly resumesAt: Date | null;
}

/** How a subscription is billed that is canceled now; neither unless given. https://docs.stripe.com/api/subscriptions/cancel */
export interface FinalBilling {
  /** Credits the unused part of the period, as an item that waits for an invoice. */
  readonly prorate: boolean;
  /** Makes a final invoice of what waits for one. */
  readonly invoiceNow: boolean;
}

export interface NewRefund {
  /** All that is left when absent. */
  readonly amount?: number;
  readonly reason?: RefundReason;
  readonly metadata: Metadata;
}

/** A webhook endpoint of the account. */
export interface WebhookEndpointSnapshot {
  readonly id: string;
  readonly url: string;
  readonly isEnabled: boolean;
  /** The types that it subscribes to; `*` stands for all. */
  readonly types: readonly string[];
  /** Null for the default version of the account. */
  readonly apiVersion: string | null;
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

/** An object as an event of today would carry it, in the API version that we use. */
export type ListedObject = { readonly id: string } & Readonly<Record<string, unknown>>;

/** One page of a list. */
export interface ObjectPage {
  readonly objects: readonly ListedObject[];
  /** Whether there are older objects; `startingAfter` with the last id of this page lists them. */
  readonly hasMore: boolean;
  /** By the processor's clock, in whole seconds: every change before that second is in the page. */
  readonly readAt: Date;
}

/** The types whose metadata a sync may write. */
export type MarkedType = Exclude<SyncType, 'invoice' | 'payment'>;

/**
 * The payment processor of one team. Every write takes an idempotency key made from our own operation, so that a repeat
 * is the same write. Amounts are in the currency's smallest unit. Ids are the processor's.
 *
 * Methods throw `ProcessorError` when the processor refuses, and Problem `unavailable` when it does not respond in time
 * or responds with 429.
 */
export interface Processor extends PlanChanges, Discounts, Invoicing, Checkouts, Selling, TestClocks, Usage {
  /** Finds the account that the secret key belongs to. */
  findAccount(): Promise<{ readonly accountId: string }>;
  /** The processor's time in whole seconds, or that of a test clock; null when its response gives none, or the clock is gone. */
  readClock(testClockId?: string | null): Promise<Date | null>;
  /** The permissions to read that the key lacks, of those that are needed; a key without restrictions lacks none. */
  findMissingPermissions(): Promise<string[]>;

  createCustomer(
    customer: { email: string; name?: string | undefined; metadata: Metadata; testClockId?: string | undefined },
    idempotencyKey: string,
  ): Promise<LiveCustomerSnapshot>;
  /** Without tax ids, and without whether it can be taxed. */
  findCustomer(id: string): Promise<CustomerSnapshot>;
  /** Finds a customer with all of its billing details. */
  findBilledCustomer(id: string): Promise<CustomerSnapshot>;
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
      billing?: BillingChanges | undefined;
    },
    idempotencyKey: string,
  ): Promise<LiveCustomerSnapshot>;
  /** @throws ProcessorError `tax_id_invalid` when it is not one of its kind */
  createTaxId(
    customerId: string,
    taxId: { readonly type: string; readonly value: string },
    idempotencyKey: string,
  ): Promise<TaxIdSnapshot>;
  /** One that is gone already is as well. */
  deleteTaxId(customerId: string, taxIdId: string): Promise<void>;

  createProduct(
    product: ProductTextChanges & { name: string; metadata: Metadata },
    idempotencyKey: string,
  ): Promise<ProductSnapshot>;
  findProduct(id: string): Promise<ProductSnapshot>;
  findCreatedProduct(created: CreatedFilter): Promise<ProductSnapshot | null>;
  updateProduct(
    id: string,
    /** An empty default price is removed. */
    changes: ProductTextChanges & {
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
      currencyOptions?: Readonly<Record<string, AmountChange>>;
      recurring: { interval: Interval; intervalCount: number } | null;
      /** The event name of the meter that counts what it bills; the meter is created if there is none. */
      meter?: string | undefined;
      taxBehavior?: TaxBehavior | undefined;
      metadata: Metadata;
    },
    idempotencyKey: string,
  ): Promise<PriceSnapshot>;
  findPrice(id: string): Promise<PriceSnapshot>;
  findCreatedPrice(productId: string, created: CreatedFilter): Promise<PriceSnapshot | null>;
  /**
   * Refuses another tax behavior once it is inclusive or exclusive. An amount in a currency that the price has one in already
   * takes its place. https://docs.stripe.com/api/prices/update
   */
  updatePrice(
    id: string,
    changes: {
      currencyOptions?: Readonly<Record<string, AmountChange>> | undefined;
      taxBehavior?: TaxBehavior | undefined;
      isActive?: boolean | undefined;
      metadata?: Metadata | undefined;
    },
    idempotencyKey: string,
  ): Promise<PriceSnapshot>;

  findSubscription(id: string): Promise<SubscriptionSnapshot>;
  /**
   * Lists the newest 100 subscriptions of a customer, also the ended ones, or the next 100 after one of them. A page of
   * less is the last (`PAGE_SIZE`).
   */
  listSubscriptions(customerId: string, after?: string): Promise<SubscriptionSnapshot[]>;
  /**
   * False clears whichever of `cancel_at_period_end` and `cancel_at` is set, and the details of the cancellation. Refused while
   * a schedule manages it. Without a `cancellation` the details stay.
   */
  setCancelAtPeriodEnd(
    id: string,
    cancelAtPeriodEnd: boolean,
    idempotencyKey: string,
    cancellation?: Cancellation | null,
  ): Promise<SubscriptionSnapshot>;
  /**
   * Cancels a subscription at once. A schedule that manages it is released first, so that it does not stay behind. Without
   * a `cancellation` its details stay. One that has ended is missing: the processor knows no idempotency keys of this call.
   */
  cancelSubscription(
    id: string,
    idempotencyKey: string,
    cancellation?: Cancellation | null,
    billing?: FinalBilling,
  ): Promise<SubscriptionSnapshot>;
  /** Previews the final invoice of a subscription that is canceled now, with what waits for one; null when it has no lines. */
  previewCancellation(id: string, prorates: boolean): Promise<InvoicePreview | null>;
  /** Turns automatic tax on or off, without proration. Refused where the customer's location is not recognized. */
  setAutomaticTax(id: string, isAutomatic: boolean, idempotencyKey: string): Promise<SubscriptionSnapshot>;
  /** Sets when the trial of a subscription ends, or begins one: its period ends then, too. Nothing is prorated. */
  setTrialEnd(id: string, trialEnd: Date, idempotencyKey: string): Promise<SubscriptionSnapshot>;
  /** Pauses the payments of a subscription; in place of a pause that there is. */
  pauseCollection(id: string, pause: NewPause, idempotencyKey: string): Promise<SubscriptionSnapshot>;
  /** Ends a pause of payments. */
  resumeCollection(id: string, idempotencyKey: string): Promise<SubscriptionSnapshot>;
  /**
   * Resumes a subscription with the status `paused`, in a period that begins now (`restarts`), or in the one that it would be in.
   * What that costs is charged now: until it is paid the subscription stays paused, and its latest invoice is open.
   */
  resumeSubscription(id: string, restarts: boolean, idempotencyKey: string): Promise<SubscriptionSnapshot>;
  /** Previews the invoice of that; null when there is none. */
  previewResumption(id: string, restarts: boolean): Promise<InvoicePreview | null>;
  setSubscriptionPaymentMethod(
    id: string,
    paymentMethodId: string,
    idempotencyKey: string,
  ): Promise<SubscriptionSnapshot>;

  findInvoice(id: string): Promise<InvoiceSnapshot>;
  /** Refused unless it is open or uncollectible. https://docs.stripe.com/api/invoices/void */
  voidInvoice(id: string, idempotencyKey: string): Promise<InvoiceSnapshot>;
  /** Refused unless it is open. https://docs.stripe.com/api/invoices/mark_uncollectible */
  markInvoiceUncollectible(id: string, idempotencyKey: string): Promise<InvoiceSnapshot>;
  /** Lists all payments of an invoice, with what keeps them from being paid. */
  listInvoicePayments(invoiceId: string): Promise<InvoicePaymentSnapshot[]>;
  /** Lists the ids of all drafts and open invoices of a subscription. */
  listUnfinishedInvoices(subscriptionId: string): Promise<string[]>;
  /** Lists the newest 100 invoices of a customer, or the next 100 after one of them. */
  listInvoices(customerId: string, after?: string): Promise<InvoiceSnapshot[]>;
  /** Lists the newest 100 charges of a customer, or the next 100 after one of them. */
  listCharges(customerId: string, after?: string): Promise<ChargeSnapshot[]>;

  /** Refunds what is left of a payment, or an amount of it. https://docs.stripe.com/api/refunds/create */
  createRefund(payment: RefundedPayment, refund: NewRefund, idempotencyKey: string): Promise<RefundSnapshot>;
  findCreatedRefund(payment: RefundedPayment, created: CreatedFilter): Promise<RefundSnapshot | null>;

  /** Finds what the customer's subscriptions are charged to. */
  findPaymentMethods(customerId: string): Promise<PaymentMethodsInUse>;

  /** A negative amount is a credit for the next invoices. https://docs.stripe.com/invoicing/customer/balance */
  createBalanceTransaction(
    customerId: string,
    transaction: { amount: number; currency: string; description: string; metadata: Metadata },
    idempotencyKey: string,
  ): Promise<{ readonly id: string }>;
  findCreatedBalanceTransaction(customerId: string, created: CreatedFilter): Promise<{ readonly id: string } | null>;

  /** Creates a webhook endpoint in the API version that we use. Only this response has its signing secret. */
  createWebhookEndpoint(
    endpoint: { url: string; types: readonly ProcessorEventType[]; metadata: Metadata },
    idempotencyKey: string,
  ): Promise<{ readonly id: string; readonly secret: string }>;
  /** Lists all webhook endpoints of the account; the processor allows 16. */
  listWebhookEndpoints(): Promise<WebhookEndpointSnapshot[]>;
  deleteWebhookEndpoint(id: string): Promise<void>;

  /**
   * Finds an object as an event of today would carry it, in the API version that we use; null when there is none, or it
   * was deleted and left nothing.
   */
  findObject(kind: ProcessorObject, id: string): Promise<Readonly<Record<string, unknown>> | null>;
  /**
   * Returns an object with the items that its nested lists leave out (`has_more`), as far as snapshots read them. Objects that
   * the other methods return are complete.
   */
  completeLists<Whole extends Readonly<Record<string, unknown>>>(object: Whole): Promise<Whole>;

  /**
   * Lists one page of at most 100 objects of a type as they are now, newest first, ended and inactive ones included; deleted
   * ones are in no list. Invoices have their payments; payments are charges. Only what was created at `createdFrom` or later
   * is listed, if that is given.
   */
  listObjects(type: SyncType, startingAfter?: string, createdFrom?: Date): Promise<ObjectPage>;
  /** Reads an object of a list again; null when there is none, a stub with `deleted: true` where the processor has one. */
  findListed(type: SyncType, id: string): Promise<{ readonly object: ListedObject | null; readonly readAt: Date }>;
  /** Adds keys to the metadata of an object; a customer or subscription is billed as before. */
  addMetadata(type: MarkedType, id: string, metadata: Metadata, idempotencyKey: string): Promise<void>;

  /** Lists one page of at most 100 events, as the processor sends them to webhooks, newest first. https://docs.stripe.com/api/events/list */
  listEvents(filter: EventFilter & { readonly startingAfter?: string | undefined }): Promise<EventPage>;
}
