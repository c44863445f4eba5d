import type { Stripe } from 'stripe';
import { PAGE_SIZE } from '../page-size.ts';
import { isCutList } from '../snapshots/fields.ts';
import { listAll } from './calls.ts';

/** Coupons contain neither their products nor their amounts in other currencies unless these are expanded. */
export const COUPON_PARTS = ['applies_to', 'currency_options'] as const;

/** What to expand for all that the discounts in a field take off: four levels, the most that can be expanded. */
export const couponsOf = (field: string): string[] => COUPON_PARTS.map(part => `${field}.source.coupon.${part}`);

/**
 * A subscription with its discounts, its schedule and its customer, of which it contains only ids. The coupons of its items'
 * discounts and of its customer's lie too deep to be expanded (`addMissingDiscounts`).
 */
export const WHOLE_SUBSCRIPTION = { expand: [...couponsOf('discounts'), 'customer', 'schedule'] };

/** A customer with its tax ids, and whether it can be taxed. */
export const WHOLE_CUSTOMER = { expand: ['tax', 'tax_ids'] };
export const WHOLE_CUSTOMERS = { expand: ['data.tax', 'data.tax_ids'] };

type Item = { readonly id: string };
type ListItems = (stripe: Stripe, id: string) => AsyncIterable<Item>;

/** How the items of the nested lists that snapshots read are listed, by the kind of the object and the list's field. */
const LISTS: ReadonlyMap<string, ListItems> = new Map<string, ListItems>([
  ['subscription.items', (stripe, subscription) => stripe.subscriptionItems.list({ subscription, limit: PAGE_SIZE })],
  // Without a status, all that are not canceled, as the customer has them.
  ['customer.subscriptions', (stripe, customer) => stripe.subscriptions.list({ customer, limit: PAGE_SIZE })],
  ['customer.tax_ids', (stripe, customer) => stripe.customers.listTaxIds(customer, { limit: PAGE_SIZE })],
  ['invoice.lines', (stripe, invoice) => stripe.invoices.listLineItems(invoice, { limit: PAGE_SIZE })],
  ['invoice.payments', (stripe, invoice) => stripe.invoicePayments.list({ invoice, limit: PAGE_SIZE })],
]);

/**
 * Returns an object of the processor with all items of each nested list that it cuts. Items that it contains stay as they are
 * in it. Lists that no snapshot reads stay cut.
 */
export async function completeLists<Whole extends object>(stripe: Stripe, object: Whole): Promise<Whole> {
  const kind = String(Reflect.get(object, 'object'));
  const id = String(Reflect.get(object, 'id'));
  let whole = object;
  for (const [name, list] of Object.entries(object)) {
    const items = isCutList(list) && LISTS.get(`${kind}.${name}`);
    if (!items) continue;
    const contained = new Set(list.data.map(item => Reflect.get(Object(item), 'id')));
    const rest = (await listAll(items(stripe, id))).filter(item => !contained.has(item.id));
    whole = { ...whole, [name]: { ...list, data: [...list.data, ...rest], has_more: false } };
  }
  return whole;
}

/** Does that with each object of a page, one after the other: few cut a list, but a page may have a hundred that do. */
export async function completeEach<Whole extends object>(stripe: Stripe, objects: readonly Whole[]): Promise<Whole[]> {
  const whole: Whole[] = [];
  for (const object of objects) whole.push(await completeLists(stripe, object));
  return whole;
}

/** Returns a preview with all of its lines, of which it contains ten at most. */
export async function wholePreview(stripe: Stripe, preview: Stripe.Invoice): Promise<Stripe.Invoice> {
  const { id, lines } = preview;
  if (!lines.has_more) return preview;
  const data = await listAll(stripe.invoices.listLineItems(id, { limit: PAGE_SIZE }));
  return { ...preview, lines: { ...lines, data, has_more: false } };
}
