import { readInvoicePreview } from '../src/snapshots/invoice-preview.ts';
import { readInvoice } from '../src/snapshots/invoice.ts';
import { created, type Path, type Shape } from './shape.ts';

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

/** Invoices and their previews, in each shape that API versions give them. */
export const INVOICE_SHAPES: readonly Shape[] = [
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
];
