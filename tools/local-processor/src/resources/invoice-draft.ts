import type { Stripe } from 'stripe';
import { z } from 'zod';
import { invalidRequest, noSuch } from '../api/errors.ts';
import { mergeMetadata } from '../api/metadata.ts';
import { boolean, choice, empty, expand, integer, metadata, parameters, text } from '../api/parameters.ts';
import { defined, type UnitOfWork } from '../api/unit-of-work.ts';
import { discounted, rebatesBy, storeDiscounts } from '../billing/discounts.ts';
import { discountsOfInvoice, rebill, refuseCodes } from '../billing/invoice-draft.ts';
import { draftInvoice } from '../billing/invoicing.ts';
import { pendingItems } from '../billing/prorations.ts';
import { newId } from '../domain/ids.ts';
import { existing } from '../objects/finding.ts';
import { lineOfItem } from '../objects/invoice-item.ts';
import type { Invoice } from '../objects/stored.ts';
import { discountsParameter } from './coupons.ts';
import { customField } from './customers.ts';
import { oneTimeItem, oneTimeParameters, pricingParameter, storeItem } from './one-time-items.ts';
import { currency } from './price-amounts.ts';

export const createParameters = parameters<Stripe.InvoiceCreateParams>()({
  auto_advance: boolean.optional(),
  automatic_tax: z.strictObject({ enabled: boolean }).optional(),
  collection_method: choice('charge_automatically', 'send_invoice').optional(),
  currency: currency.optional(),
  custom_fields: z.union([empty, z.array(customField).max(4)]).optional(),
  customer: text(),
  days_until_due: integer(0).optional(),
  default_payment_method: text().optional(),
  description: text().optional(),
  discounts: discountsParameter.optional(),
  expand,
  footer: text().optional(),
  metadata: metadata.optional(),
  pending_invoice_items_behavior: choice('exclude', 'include').optional(),
});

export const addLinesParameters = parameters<Stripe.InvoiceAddLinesParams>()({
  expand,
  lines: z
    .array(z.strictObject({ ...oneTimeParameters, pricing: pricingParameter }))
    .min(1)
    .max(250),
});

/**
 * Creates a draft beside subscriptions, which stays one until it is finalized. It redeems its discounts, or has that of its customer.
 * (Stripe: https://docs.stripe.com/api/invoices/create)
 * @throws ApiError 400 when parameters do not fit each other
 */
export function createInvoice(unit: UnitOfWork, given: z.output<typeof createParameters>): Invoice {
  const customer = existing(unit, 'customer', given.customer, 'customer');
  refuseDays(given);
  const { default_payment_method: card } = given;
  if (card !== undefined && unit.tables.payment_method.get(card)?.customer !== customer.id)
    throw noSuch('PaymentMethod', card, 'default_payment_method');
  if (given.auto_advance)
    throw invalidRequest('The local processor does not finalize such drafts by itself.', 'auto_advance');
  const billedIn = given.currency ?? customer.currency ?? 'usd';
  const id = newId('in_1');
  const pairs = mergeMetadata({}, given.metadata);
  // Whether it is enough for a code is known once it has lines.
  const sale = { currency: billedIn, subtotal: Infinity };
  const { ids, fresh } = discountsOfInvoice(unit, customer.id, sale, given.discounts);
  storeDiscounts(
    unit,
    fresh.map(discount => ({ ...discount, invoice: id })),
  );
  const isIncluding = given.pending_invoice_items_behavior === 'include';
  const items = isIncluding ? pendingItems(unit, { id: null, customer: customer.id, currency: billedIn }) : [];
  const rebates = rebatesBy(unit, ids, { currency: billedIn, at: unit.now });
  return draftInvoice(unit, {
    id,
    customer,
    subscription: null,
    reason: 'manual',
    currency: billedIn,
    lines: discounted(items.map(lineOfItem), rebates),
    period: { start: unit.now, end: unit.now },
    automaticTax: given.automatic_tax?.enabled ?? false,
    daysUntilDue: given.days_until_due,
    metadata: pairs,
    own: {
      auto_advance: false,
      discounts: ids,
      ...defined({
        custom_fields: given.custom_fields,
        default_payment_method: card,
        description: given.description,
        footer: given.footer,
      }),
    },
  });
}

function refuseDays({ collection_method: method, days_until_due: days }: z.output<typeof createParameters>): void {
  if (method === 'send_invoice' && days === undefined)
    throw invalidRequest(
      "If invoice collection method is 'send_invoice', you must specify 'due_date' or 'days_until_due'.",
    );
  if (method !== 'send_invoice' && days !== undefined)
    throw invalidRequest(
      "You can only specify 'due_date' or 'days_until_due' if invoice collection method is 'send_invoice'.",
    );
}

/** Adds lines to a draft, all of them or none. (Stripe: https://docs.stripe.com/api/invoices/add_lines) */
export function addLines(unit: UnitOfWork, draft: Invoice, given: z.output<typeof addLinesParameters>): Invoice {
  requireDraft(draft);
  const customer = existing(unit, 'customer', draft.customer ?? '', 'customer');
  const { currency: code, id: invoice } = draft;
  const items = given.lines.map((line, index) => {
    return { ...oneTimeItem(unit, line, { customer, currency: code, path: `lines[${index}]` }), invoice };
  });
  refuseCodes(unit, draft, items);
  for (const item of items) storeItem(unit, item);
  return rebill(unit, draft);
}

/** @throws ApiError 400 when an invoice takes no more lines */
export function requireDraft({ status, parent }: Invoice): void {
  if (status !== 'draft')
    throw invalidRequest('Invalid invoice: This invoice is no longer editable', undefined, 'invoice_not_editable');
  if (parent) throw invalidRequest('The local processor adds no lines to drafts of subscriptions.');
}
