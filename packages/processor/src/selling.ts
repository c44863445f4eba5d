import type { CheckoutLocale } from '@billing/contracts/resources/checkout';
import type { CreatedFilter } from './created-filter.ts';
import type { CheckoutSessionSnapshot } from './snapshots/checkout-session.ts';
import type { InvoicePreview } from './snapshots/invoice-preview.ts';
import type { SubscriptionSnapshot } from './snapshots/subscription.ts';

type Metadata = Readonly<Record<string, string>>;

/** What becomes of a subscription whose trial ends without a payment method. */
export type TrialEnd = 'cancel' | 'pause' | 'create_invoice';

export interface CheckoutLine {
  readonly priceId: string;
  /** Absent for a metered price, which is billed by usage. */
  readonly quantity?: number;
}

export interface NewCheckoutSession {
  readonly mode: 'subscription' | 'payment';
  readonly customerId: string;
  /** 1 to 20. In subscription mode one-time prices are billed with the first invoice. */
  readonly lines: readonly CheckoutLine[];
  /** Of all lines; that of the first one when absent. */
  readonly currency?: string;
  /** Where it is shown; `hosted` when absent. An embedded one has a client secret in place of a URL. */
  readonly page?: 'hosted' | 'embedded';
  /** `{CHECKOUT_SESSION_ID}` is sent to the processor unchanged. */
  readonly successUrl: string;
  /** Only of a hosted page. */
  readonly cancelUrl?: string;
  /** Only in subscription mode, as are the next two. */
  readonly trialDays?: number;
  readonly trialEndsWithoutMethod?: TrialEnd;
  /** `if_required` asks for none as long as nothing is due; `always` when absent. */
  readonly paymentMethodCollection?: 'always' | 'if_required';
  readonly allowPromotionCodes?: boolean;
  /** Excludes `allowPromotionCodes`. */
  readonly promotionCodeId?: string;
  /** Saves the address that the customer enters. */
  readonly automaticTax?: boolean;
  /** Saves the name and the address that the customer enters. */
  readonly taxIdCollection?: boolean;
  readonly clientReferenceId?: string;
  readonly locale?: CheckoutLocale;
  /** For the session and for the subscription or payment that it creates. */
  readonly metadata: Metadata;
  /** In the session's own metadata: finds the session when it is not known whether it was created. */
  readonly operationId?: string;
}

export interface NewSetupSession {
  readonly customerId: string;
  readonly currency: string;
  readonly successUrl: string;
  readonly cancelUrl: string;
  /** The language of the page; that of the browser when absent. */
  readonly locale?: CheckoutLocale;
  readonly metadata: Metadata;
}

/** What a subscription that is created without a page bills, and how. */
export interface SubscriptionTerms {
  readonly customerId: string;
  /** Recurring prices of one interval. */
  readonly items: readonly CheckoutLine[];
  /** One-time prices, which the first invoice bills too. */
  readonly addedOnce: readonly CheckoutLine[];
  readonly currency: string;
  readonly automaticTax: boolean;
  readonly promotionCodeId?: string | undefined;
  readonly trialDays?: number | undefined;
  readonly trialEndsWithoutMethod?: TrialEnd | undefined;
}

export interface NewSubscription extends SubscriptionTerms {
  /** Days until each invoice is due, when they are sent to the customer; absent when they are charged. */
  readonly daysUntilDue?: number | undefined;
  /** What it is charged to; the customer's default when absent. */
  readonly paymentMethodId?: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Sessions with a page, on which customers pay or save a payment method. */
export interface Checkouts {
  createCheckoutSession(session: NewCheckoutSession, idempotencyKey: string): Promise<CheckoutSessionSnapshot>;
  /** Creates a hosted page on which a customer saves a payment method. */
  createSetupSession(session: NewSetupSession, idempotencyKey: string): Promise<CheckoutSessionSnapshot>;
  findCheckoutSession(id: string): Promise<CheckoutSessionSnapshot>;
  findCreatedCheckoutSession(customerId: string, created: CreatedFilter): Promise<CheckoutSessionSnapshot | null>;
  /** Finds the payment method that a completed setup session saved. */
  findSavedPaymentMethod(setupIntentId: string): Promise<{ readonly paymentMethodId: string | null }>;
}

/** Subscriptions that are sold without a page. */
export interface Selling {
  /**
   * Previews the first invoice of a subscription as if it were created now, with all of its lines. What waits for the customer's
   * next invoice is among them: this invoice takes it.
   */
  previewNewSubscription(terms: SubscriptionTerms): Promise<InvoicePreview>;
  /**
   * Creates a subscription, and charges its first invoice. It is refused, and nothing is left of it, when that fails. One whose
   * invoices are sent is active at once, and its first invoice a draft. https://docs.stripe.com/api/subscriptions/create
   */
  createSubscription(subscription: NewSubscription, idempotencyKey: string): Promise<SubscriptionSnapshot>;
  /** Finds a subscription of a customer that an operation created, whatever has become of it since. */
  findCreatedSubscription(customerId: string, created: CreatedFilter): Promise<SubscriptionSnapshot | null>;
  /** Ends an open session, so that nobody pays it any more. Refused once it is complete; an expired one stays so. */
  expireCheckoutSession(id: string, idempotencyKey: string): Promise<CheckoutSessionSnapshot>;
}
