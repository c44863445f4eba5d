import type { Stripe } from 'stripe';
import type { CheckoutPlan } from './checkout-plan.ts';
import type {
  Charge,
  CheckoutSession,
  Coupon,
  CurrencyOption,
  Customer,
  CustomerBalanceTransaction,
  DeletedCustomer,
  DeletedProduct,
  Delivery,
  Discount,
  Dispute,
  PendingChange,
  Invoice,
  InvoiceItem,
  InvoiceLine,
  InvoicePayment,
  LastDebit,
  LedgerEntry,
  PaymentIntent,
  PaymentMethod,
  Price,
  Product,
  PromotionCode,
  Refund,
  SetupIntent,
  StoredEvent,
  Subscription,
  SubscriptionSchedule,
  TestClock,
  WebhookEndpoint,
} from './stored.ts';

/** The row types of an account's tables. */
export interface Tables {
  customer: Customer | DeletedCustomer;
  product: Product | DeletedProduct;
  price: Price;
  price_detail: PriceDetail;
  'billing.meter': Stripe.Billing.Meter;
  'test_helpers.test_clock': TestClock;
  subscription: Subscription;
  subscription_schedule: SubscriptionSchedule;
  invoice: Invoice;
  invoice_payment: InvoicePayment;
  invoiceitem: InvoiceItem;
  last_debit: LastDebit;
  pending_change: PendingChange;
  /** The lines of the newest previews, which are listed like those of an invoice. */
  preview: { id: string; lines: InvoiceLine[] };
  coupon: Coupon;
  coupon_scope: CouponScope;
  /** Deleted coupons: discounts that were made with them go on. */
  removed_coupon: { id: string };
  promotion_code: PromotionCode;
  discount: Discount;
  payment_method: PaymentMethod;
  payment_intent: PaymentIntent;
  setup_intent: SetupIntent;
  charge: Charge;
  refund: Refund;
  dispute: Dispute;
  customer_balance_transaction: CustomerBalanceTransaction;
  'checkout.session': CheckoutSession;
  webhook_endpoint: WebhookEndpoint;
  checkout_plan: CheckoutPlan;
  event: StoredEvent;
  delivery: Delivery;
  idempotent_response: IdempotentResponse;
  ledger: LedgerEntry;
  declining_card: DecliningCard;
}

export type TableName = keyof Tables;

/** The parts of a price that the API returns only when they are expanded, by the price's id. */
interface PriceDetail {
  id: string;
  /** Every currency of the price by its code, also the price's own. */
  currencyOptions: Record<string, CurrencyOption>;
}

/** The response saved under an idempotency key; `response` is null while the first request runs. */
interface IdempotentResponse {
  id: string;
  endpoint: string;
  parameters: string;
  /** Milliseconds of the account's clock. */
  createdAt: number;
  response: { status: number; body: string } | null;
}

/** The products that a coupon is limited to, by the coupon's id. */
interface CouponScope {
  id: string;
  products: string[];
}

/** A card whose payments do not succeed by themselves, by the id of its payment method. */
interface DecliningCard {
  id: string;
  /** True if the bank wants the customer to confirm; else it declines. */
  authenticates?: boolean;
}
