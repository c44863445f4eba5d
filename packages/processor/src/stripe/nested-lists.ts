import type { Stripe } from 'stripe';
import { PAGE_SIZE } from '../page-size.ts';
import { isCutList } from '../snapshots/fields.ts';
import { listAll } from './calls.ts';

/** Subscriptions contain only the ids of their discounts, and coupons not their products, unless these are expanded. */
export const WITH_DISCOUNTS = { expand: ['discounts.source.coupon.applies_to'] };
/** A subscription with its schedule too. */
export const WHOLE_SUBSCRIPTION = { expand: [...WITH_DISCOUNTS.expand, 'schedule'] };

type Item = { readonly id: string };
type ListItems = (stripe: Stripe, id: string) => AsyncIterable<Item>;

/** How the items of the nested lists that snapshots read are listed, by the kind of the object and the list's field. */
const LISTS: ReadonlyMap<string, ListItems> = new Map<string, ListItems>([
  ['subscription.items', (stripe, subscription) => stripe.subscriptionItems.list({ subscription, limit: PAGE_SIZE })],
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
