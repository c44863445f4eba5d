import type { CreatedFilter } from './created-filter.ts';
import type { CheckoutLine } from './port.ts';
import type { CheckoutSessionSnapshot } from './snapshots/checkout-session.ts';
import type { InvoicePreview } from './snapshots/invoice-preview.ts';
import type { SubscriptionSnapshot } from './snapshots/subscription.ts';

/** What becomes of a subscription whose trial ends without a payment method. */
export type TrialEnd = 'cancel' | 'pause' | 'create_invoice';

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
