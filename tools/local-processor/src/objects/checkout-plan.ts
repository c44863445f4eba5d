import type { Stripe } from 'stripe';
import type { CheckoutSession, LineItem } from './stored.ts';

/** One discount that a request names: one that is there, or a coupon or promotion code to redeem. */
export interface WantedDiscount {
  coupon?: string | undefined;
  discount?: string | undefined;
  promotion_code?: string | undefined;
}

/** What the hosted page offers besides payment. */
export interface CheckoutOptions {
  allowPromotionCodes: boolean | null;
  automaticTax: boolean;
  locale: CheckoutSession['locale'];
  taxIds: { enabled: boolean; required: 'if_supported' | 'never' } | null;
  /** Whether payment saves the address and the name in the existing customer. */
  updatesAddress: boolean;
  updatesName: boolean;
}

/** What a checkout session creates when it is paid; the API does not return it. */
export interface CheckoutPlan {
  id: string;
  lines: LineItem[];
  /** What the session names or the customer has entered; redeemed when it is paid. Absent in older data. */
  discounts?: WantedDiscount[];
  subscription: { description: string | null; metadata: Stripe.Metadata; trialDays: number | null };
  payment: { description: string | null; metadata: Stripe.Metadata };
  invoiceCreation: { enabled: boolean; metadata: Stripe.Metadata };
  options: CheckoutOptions;
  /** The payment or setup intent of an earlier, declined attempt. */
  paymentIntent: string | null;
  setupIntent: string | null;
  lastDecline: string | null;
}
