import type { Stripe } from 'stripe';
import type * as Stored from './stored.ts';

/** How a table is declared. */
interface Declared<Row> {
  /** With what the ids of its objects begin; null for those that no reference names. */
  readonly prefix: string | null;
  /** What the API's errors call its objects; the name of the table unless given. */
  readonly kind?: string | undefined;
  /** The fields, by their paths, that rows are found by without a scan. */
  readonly indexed: readonly string[];
  /** Only declares the type of the rows. */
  readonly row?: Row;
}

/** Declares a table of API objects. */
const objects = <Row>(prefix: string, indexed: readonly string[] = [], kind?: string): Declared<Row> => ({
  prefix,
  indexed,
  kind,
});

/** Declares a table of what no reference of the API names. */
const rows = <Row>(indexed: readonly string[] = [], kind?: string): Declared<Row> => ({ prefix: null, indexed, kind });

/** The tables of an account. */
export const TABLES = {
  customer: objects<Stored.Customer | Stored.DeletedCustomer>('cus', ['email']),
  tax_id: objects<Stored.TaxId>('txi', ['customer']),
  product: objects<Stored.Product | Stored.DeletedProduct>('prod'),
  price: objects<Stored.Price>('price', ['product']),
  price_detail: rows<PriceDetail>(),
  'billing.meter': objects<Stripe.Billing.Meter>('mtr', [], 'meter'),
  meter_event: rows<Stored.MeterEvent>(['identifier', 'usage']),
  'v2.core.event': rows<Stored.ThinEvent>(),
  'test_helpers.test_clock': objects<Stored.TestClock>('clock', [], 'test clock'),
  // The ids of schedules begin with those of subscriptions.
  subscription_schedule: objects<Stored.SubscriptionSchedule>('sub_sched'),
  subscription: objects<Stored.Subscription>('sub', ['customer']),
  invoice: objects<Stored.Invoice>('in', ['customer']),
  invoice_payment: objects<Stored.InvoicePayment>('inpay', ['invoice']),
  invoiceitem: objects<Stored.InvoiceItem>('ii', ['customer', 'invoice'], 'Invoice Item'),
  last_debit: rows<Stored.LastDebit>(),
  pending_change: rows<Stored.PendingChange>(),
  /** The lines of the newest previews, which are listed like those of an invoice. */
  preview: rows<{ id: string; lines: Stored.InvoiceLine[] }>(),
  coupon: rows<Stored.Coupon>(),
  coupon_detail: rows<CouponDetail>(),
  /** Deleted coupons: discounts that were made with them go on. */
  removed_coupon: rows<{ id: string }>(),
  promotion_code: objects<Stored.PromotionCode>('promo', [], 'promotion code'),
  code_detail: rows<CodeDetail>(),
  discount: objects<Stored.Discount>('di'),
  payment_method: objects<Stored.PaymentMethod>('pm', ['customer'], 'PaymentMethod'),
  payment_intent: objects<Stored.PaymentIntent>('pi', ['customer']),
  setup_intent: objects<Stored.SetupIntent>('seti', [], 'setupintent'),
  charge: objects<Stored.Charge>('ch', ['customer', 'payment_intent']),
  refund: objects<Stored.Refund>('re', ['charge']),
  dispute: objects<Stored.Dispute>('du'),
  customer_balance_transaction: objects<Stored.CustomerBalanceTransaction>('cbtxn', ['customer']),
  'checkout.session': objects<Stored.CheckoutSession>('cs', ['customer', 'subscription', 'payment_intent']),
  checkout_plan: rows<Stored.CheckoutPlan>(),
  webhook_endpoint: rows<Stored.WebhookEndpoint>([], 'webhook endpoint'),
  event: rows<Stored.StoredEvent>(),
  delivery: rows<Stored.Delivery>(['event']),
  idempotent_response: rows<IdempotentResponse>(),
  ledger: rows<Stored.LedgerEntry>(),
  declining_card: rows<DecliningCard>(),
};

export type TableName = keyof typeof TABLES;

/** The row types of an account's tables. */
export type Tables = {
  [Name in TableName]: (typeof TABLES)[Name] extends Declared<infer Row extends { id: string }> ? Row : never;
};

/** Returns what the API's errors call the objects of a table. */
export const kindOf = (name: TableName): string => TABLES[name].kind ?? name;

/** Returns the table of an id; undefined for one of no known form. */
export function tableOfId(id: string): TableName | undefined {
  // The table has no other keys.
  const names = Object.keys(TABLES) as TableName[];
  return names.find(name => TABLES[name].prefix !== null && id.startsWith(`${TABLES[name].prefix}_`));
}

/** The parts of a price that the API returns only when they are expanded, by the price's id. */
interface PriceDetail {
  id: string;
  /** Every currency of the price by its code, also the price's own. */
  currencyOptions: Record<string, Stored.CurrencyOption>;
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

/** The parts of a coupon that the API returns only when they are expanded, by the coupon's id. */
interface CouponDetail {
  id: string;
  /** The products that it is limited to; null for all. */
  products: string[] | null;
  /** What it takes off in each currency, also in its own; null for a percentage. */
  currencyOptions: Record<string, { amount_off: number }> | null;
}

/** The part of a promotion code that the API returns only when it is expanded, by the code's id. */
interface CodeDetail {
  id: string;
  /** The least amount in each currency, also in the code's own. */
  currencyOptions: Record<string, { minimum_amount: number }>;
}

/** A card whose payments do not succeed by themselves, by the id of its payment method. */
interface DecliningCard {
  id: string;
  /** True if the bank wants the customer to confirm; else it declines. */
  authenticates?: boolean;
}
