import { readPrice, readProduct } from '../src/snapshots/catalog.ts';
import { readCheckoutSession } from '../src/snapshots/checkout-session.ts';
import { readCustomer } from '../src/snapshots/customer.ts';
import { readCoupon, readPromotionCode } from '../src/snapshots/discounts.ts';
import { readInvoicePreview } from '../src/snapshots/invoice-preview.ts';
import { readInvoice } from '../src/snapshots/invoice.ts';
import { readSchedule } from '../src/snapshots/schedule.ts';
import { readSubscription } from '../src/snapshots/subscription.ts';

export type Path = readonly (string | number)[];

/** An object in one shape, the fields that may have an unknown word, and those that may be absent or null. */
interface Shape {
  readonly name: string;
  readonly read: (raw: unknown) => unknown;
  readonly object: object;
  readonly words: readonly Path[];
  readonly optional: readonly Path[];
}

const created = 1_700_000_000;
const price = {
  id: 'price_1',
  object: 'price',
  product: 'prod_1',
  unit_amount: 2_999,
  unit_amount_decimal: '2999',
  currency: 'usd',
  currency_options: { eur: { unit_amount: 2_799, unit_amount_decimal: '2799' } },
  transform_quantity: { divide_by: 5, round: 'up' },
  type: 'recurring',
  billing_scheme: 'per_unit',
  recurring: { interval: 'month', interval_count: 1, usage_type: 'licensed' },
  active: true,
  metadata: { a: 'b' },
  created,
};
const subscription = {
  id: 'sub_1',
  object: 'subscription',
  customer: 'cus_1',
  status: 'active',
  collection_method: 'charge_automatically',
  cancel_at_period_end: false,
  cancel_at: created,
  canceled_at: created,
  currency: 'usd',
  pause_collection: { behavior: 'void', resumes_at: created },
  cancellation_details: { reason: 'cancellation_requested', feedback: 'unused', comment: 'Later.' },
  start_date: created,
  trial_end: created,
  ended_at: created,
  default_payment_method: { id: 'pm_1', object: 'payment_method' },
  latest_invoice: 'in_1',
  pending_update: { expires_at: created, subscription_items: [{ id: 'si_1', price: 'price_1', quantity: 3 }] },
  metadata: { projectId: 'proj_1' },
  created,
};
const coupon = {
  id: 'HALF',
  object: 'coupon',
  name: 'Half',
  percent_off: 50,
  amount_off: 500,
  currency: 'usd',
  currency_options: { usd: { amount_off: 500 }, eur: { amount_off: 450 } },
  duration: 'repeating',
  duration_in_months: 3,
  max_redemptions: 5,
  times_redeemed: 1,
  redeem_by: created,
  valid: true,
  applies_to: { products: ['prod_1'] },
  metadata: {},
  created,
};
const discount = { id: 'di_1', object: 'discount', promotion_code: 'promo_1', end: created };
const restrictions = { minimum_amount: 500, currency_options: { eur: { minimum_amount: 450 } } };
const period = { current_period_start: created, current_period_end: created + 1 };
const invoice = {
  id: 'in_1',
  object: 'invoice',
  customer: 'cus_1',
  status: 'open',
  number: 'A-1',
  amount_due: 1,
  amount_paid: 0,
  amount_remaining: 1,
  currency: 'usd',
  billing_reason: 'subscription_cycle',
  collection_method: 'charge_automatically',
  hosted_invoice_url: 'https://example.com/i',
  invoice_pdf: 'https://example.com/p',
  period_start: created,
  period_end: created,
  due_date: created,
  status_transitions: { paid_at: created },
  subtotal: 2,
  total: 1,
  total_discount_amounts: [{ amount: 1, discount: 'di_1' }],
  customer_tax_ids: [{ type: 'eu_vat', value: 'DE123456789' }],
  custom_fields: [{ name: 'PO number', value: '2026-17' }],
  metadata: {},
  created,
};
const invoiceLine = {
  description: 'Pro',
  amount: 2,
  discount_amounts: [{ amount: 1, discount: 'di_1' }],
  quantity: 1,
  period: { start: created, end: created },
};
const taxed = { amount: 1, taxable_amount: 1, taxability_reason: 'standard_rated' };
const details = { subscription: 'sub_1', metadata: { projectId: 'proj_1' } };
const SUBSCRIPTION_WORDS: Path[] = [
  ['status'],
  ['pause_collection', 'behavior'],
  ['collection_method'],
  ['cancellation_details', 'reason'],
  ['cancellation_details', 'feedback'],
];
const SUBSCRIPTION_OPTIONAL: Path[] = [
  ['cancel_at'],
  ['canceled_at'],
  ['currency'],
  ['pause_collection'],
  ['pause_collection', 'resumes_at'],
  ['cancellation_details'],
  ['trial_end'],
  ['ended_at'],
  ['default_payment_method'],
  ['collection_method'],
  ['latest_invoice'],
  ['pending_update'],
  ['pending_update', 'subscription_items'],
  ['pending_update', 'subscription_items', 0, 'price'],
  ['discount'],
  ['discounts'],
  ['metadata'],
  ['items', 'data', 0, 'price', 'unit_amount'],
  ['items', 'data', 0, 'price', 'unit_amount_decimal'],
  ['items', 'data', 0, 'price', 'billing_scheme'],
  ['items', 'data', 0, 'price', 'currency_options'],
  ['items', 'data', 0, 'price', 'transform_quantity'],
  ['items', 'data', 0, 'price', 'metadata'],
  ['items', 'data', 0, 'price', 'recurring', 'usage_type'],
];
const INVOICE_WORDS: Path[] = [
  ['status'],
  ['billing_reason'],
  ['collection_method'],
  ['customer_tax_ids', 0, 'type'],
  ['lines', 'data', 0, 'description'],
];
const INVOICE_OPTIONAL: Path[] = [
  'customer',
  'status',
  'number',
  'billing_reason',
  'hosted_invoice_url',
  'invoice_pdf',
  'metadata',
  'period_start',
  'period_end',
  'due_date',
  'status_transitions',
  'parent',
  'subscription',
  'subscription_details',
  'subtotal',
  'total',
  'total_discount_amounts',
  'customer_tax_ids',
  'custom_fields',
  'lines',
].map(field => [field]);

/** Every kind of object that is parsed, in each shape that API versions give it. */
export const SHAPES: readonly Shape[] = [
  {
    name: 'a subscription before 2025-03-31',
    read: readSubscription,
    object: {
      ...subscription,
      ...period,
      customer: { id: 'cus_1', discount: { ...discount, coupon } },
      discount: { ...discount, coupon },
      items: { data: [{ id: 'si_1', price, quantity: 2 }] },
    },
    words: SUBSCRIPTION_WORDS,
    optional: [...SUBSCRIPTION_OPTIONAL, ['current_period_start'], ['current_period_end']],
  },
  {
    name: 'a subscription since 2025-03-31',
    read: readSubscription,
    object: {
      ...subscription,
      customer: { id: 'cus_1', discount: { ...discount, source: { coupon: 'HALF' } } },
      discounts: ['di_0', { ...discount, source: { coupon } }],
      items: { data: [{ id: 'si_1', price, quantity: 2, ...period, discounts: ['di_2'] }] },
    },
    words: SUBSCRIPTION_WORDS,
    optional: [
      ...SUBSCRIPTION_OPTIONAL,
      ['customer', 'discount'],
      ['items', 'data', 0, 'current_period_end'],
      ['items', 'data', 0, 'discounts'],
    ],
  },
  {
    name: 'an invoice before 2025-03-31',
    read: readInvoice,
    object: {
      ...invoice,
      subscription: 'sub_1',
      subscription_details: { metadata: { projectId: 'proj_1' } },
      tax: 1,
      total_tax_amounts: [{ ...taxed, inclusive: true }],
      lines: { data: [{ ...invoiceLine, price: { id: 'price_1' }, proration: true }] },
    },
    words: INVOICE_WORDS,
    optional: [
      ...INVOICE_OPTIONAL,
      ['subscription_details', 'metadata'],
      ['tax'],
      ['total_tax_amounts'],
      ['lines', 'data', 0, 'price'],
    ],
  },
  {
    name: 'an invoice since 2025-03-31',
    read: readInvoice,
    object: {
      ...invoice,
      parent: { type: 'subscription_details', subscription_details: details },
      total_taxes: [{ ...taxed, tax_behavior: 'inclusive' }],
      lines: {
        data: [
          {
            ...invoiceLine,
            pricing: { price_details: { price: 'price_1' } },
            parent: { subscription_item_details: { proration: true } },
          },
        ],
      },
    },
    words: [...INVOICE_WORDS, ['parent', 'type'], ['total_taxes', 0, 'tax_behavior']],
    optional: [
      ...INVOICE_OPTIONAL,
      ['parent', 'subscription_details'],
      ['parent', 'type'],
      ['total_taxes'],
      ['lines', 'data', 0, 'pricing'],
      ['lines', 'data', 0, 'parent'],
    ],
  },
  {
    name: 'a price',
    read: readPrice,
    object: price,
    words: [['type'], ['billing_scheme'], ['recurring', 'usage_type'], ['currency']],
    optional: [['unit_amount'], ['recurring'], ['metadata'], ['type']],
  },
  {
    name: 'a product',
    read: readProduct,
    object: {
      id: 'prod_1',
      name: 'Pro',
      description: 'x',
      unit_label: 'seat',
      active: true,
      type: 'service',
      default_price: price,
      created,
    },
    words: [['type'], ['description']],
    optional: [['description'], ['unit_label'], ['metadata'], ['default_price'], ['type']],
  },
  {
    name: 'a customer',
    read: readCustomer,
    object: {
      id: 'cus_1',
      email: 'ada@example.com',
      name: 'Ada',
      tax_exempt: 'none',
      invoice_settings: { default_payment_method: 'pm_1' },
      discount,
      metadata: {},
      created,
    },
    words: [['tax_exempt'], ['name']],
    optional: [
      ['discount'],
      ['email'],
      ['name'],
      ['metadata'],
      ['invoice_settings'],
      ['invoice_settings', 'default_payment_method'],
    ],
  },
  {
    name: 'a coupon',
    read: readCoupon,
    object: coupon,
    words: [['duration'], ['name']],
    optional: [
      'name',
      'percent_off',
      'amount_off',
      'currency',
      'currency_options',
      'redeem_by',
      'applies_to',
      'metadata',
    ].map(field => [field]),
  },
  {
    name: 'a promotion code before 2025-09-30',
    read: readPromotionCode,
    object: { id: 'promo_1', code: 'HALF', coupon, active: true, restrictions, created },
    words: [['code']],
    optional: [['restrictions'], ['coupon'], ['restrictions', 'minimum_amount'], ['restrictions', 'currency_options']],
  },
  {
    name: 'a promotion code since 2025-09-30',
    read: readPromotionCode,
    object: { id: 'promo_1', code: 'HALF', promotion: { coupon: 'HALF' }, active: true, expires_at: created, created },
    words: [['code']],
    optional: [['promotion'], ['expires_at']],
  },
  {
    name: 'a preview of an invoice',
    read: readInvoicePreview,
    object: {
      id: 'upcoming_in_1',
      currency: 'usd',
      subtotal: 2,
      total: 1,
      amount_due: 1,
      starting_balance: 0,
      ending_balance: 0,
      total_discount_amounts: [{ amount: 1, discount: 'di_1' }],
      total_taxes: [],
      parent: { subscription_details: { subscription: 'sub_1', subscription_proration_date: created } },
      lines: {
        data: [
          {
            description: 'Pro',
            amount: 2,
            quantity: 1,
            pricing: { price_details: { price: 'price_1' } },
            parent: { subscription_item_details: { proration: true } },
            period: { start: created, end: created },
          },
        ],
      },
      created,
    },
    words: [['lines', 'data', 0, 'description']],
    optional: [['total_taxes'], ['parent'], ['ending_balance'], ['lines', 'data', 0, 'parent']],
  },
  {
    name: 'a schedule',
    read: readSchedule,
    object: {
      id: 'sub_sched_1',
      status: 'active',
      subscription: 'sub_1',
      end_behavior: 'release',
      current_phase: { start_date: created, end_date: created },
      phases: [
        {
          start_date: created,
          end_date: created,
          items: [{ price: 'price_1', quantity: 1 }],
          discounts: [{ discount: 'di_1', coupon: null, promotion_code: null }],
          metadata: {},
        },
      ],
      metadata: {},
      created,
    },
    words: [['status'], ['end_behavior']],
    optional: [['subscription'], ['current_phase'], ['phases', 0, 'discounts'], ['phases', 0, 'metadata']],
  },
  {
    name: 'a checkout session',
    read: readCheckoutSession,
    object: {
      id: 'cs_1',
      mode: 'subscription',
      status: 'complete',
      payment_status: 'paid',
      customer: 'cus_1',
      subscription: 'sub_1',
      setup_intent: null,
      payment_intent: null,
      url: null,
      metadata: {},
      created,
    },
    words: [['mode'], ['status'], ['payment_status']],
    optional: [['status'], ['customer'], ['subscription'], ['setup_intent'], ['payment_intent'], ['url'], ['metadata']],
  },
];
