import type { Account } from '../store/account.ts';
import { taxationFor } from '../billing/tax.ts';
import { customerOrNull } from '../objects/finding.ts';
import { tableOfId } from '../objects/tables.ts';
import { invalidRequest } from './errors.ts';

const MAX_DEPTH = 4;

/**
 * Returns a copy of a response body in which the ids at the given paths are replaced by their objects, and lists that
 * are omitted by default are included. Paths are separated by dots; `data` leads into a list.
 * (Stripe: https://docs.stripe.com/api/expanding_objects)
 * @throws ApiError 400 when a path cannot be expanded
 */
export function expanded(account: Account, body: object, paths: readonly string[] | undefined): object {
  if (!paths || paths.length === 0) return body;
  const copy = structuredClone(body);
  for (const path of paths) {
    const segments = path.split('.');
    if (segments.length > MAX_DEPTH)
      throw invalidRequest(
        `You cannot expand more than ${MAX_DEPTH} levels of a property. Property: ${path}`,
        'expand',
      );
    expandAt(account, copy, segments, path);
  }
  return copy;
}

function expandAt(account: Account, at: unknown, segments: readonly string[], path: string): void {
  const [name, ...rest] = segments;
  if (name === undefined || at === null || at === undefined) return;
  if (Array.isArray(at)) {
    for (const element of at) expandAt(account, element, segments, path);
    return;
  }
  if (typeof at !== 'object') throw cannotExpand(path);
  const value: unknown =
    codeRestrictions(account, at, segments) ??
    Reflect.get(at, name) ??
    priceDetail(account, at, segments) ??
    includableList(account, at, name);
  if (typeof value === 'string') {
    // Coupons have ids without a prefix.
    const found = name === 'coupon' ? account.tables.coupon.get(value) : findById(account, value);
    if (!found) throw cannotExpand(path);
    Reflect.set(at, name, structuredClone(found));
  } else if (value === undefined) {
    throw cannotExpand(path);
  } else if (value !== null) {
    Reflect.set(at, name, Array.isArray(value) ? value.map(one => expandedElement(account, one)) : value);
  }
  expandAt(account, Reflect.get(at, name), rest, path);
}

/** Returns an element of a list of ids as the object that it names; others stay as they are. */
function expandedElement(account: Account, element: unknown): unknown {
  const found = typeof element === 'string' ? findById(account, element) : undefined;
  return found ? structuredClone(found) : element;
}

function findById(account: Account, id: string): object | undefined {
  const table = tableOfId(id);
  return table && account.tables[table].get(id);
}

/**
 * Returns what a price contains only when it is expanded: `tiers`, and `currency_options`, whose own tiers are expanded
 * as `currency_options.eur.tiers`.
 */
function priceDetail(account: Account, at: object, [name, , inOption]: readonly string[]): object | undefined {
  const { id, object, currency } = at as { id?: unknown; object?: unknown; currency?: unknown };
  const price = object === 'price' || object === 'plan' ? account.tables.price.get(String(id)) : undefined;
  const options = price && account.tables.price_detail.get(price.id)?.currencyOptions;
  if (!options) return undefined;
  if (name === 'tiers') return structuredClone(options[String(currency)]?.tiers ?? undefined);
  if (name !== 'currency_options' || object !== 'price') return undefined;
  const shown = Object.entries(options).map(([code, { tiers, ...option }]) => {
    const withTiers = inOption === 'tiers' && tiers ? { ...option, tiers } : option;
    return [code, withTiers] as const;
  });
  return structuredClone(Object.fromEntries(shown));
}

/** Returns the restrictions of a promotion code with their `currency_options`, where these are expanded. */
function codeRestrictions(account: Account, at: object, [name, option]: readonly string[]): object | undefined {
  const { id, object } = at as { id?: unknown; object?: unknown };
  if (object !== 'promotion_code' || name !== 'restrictions' || option !== 'currency_options') return undefined;
  const detail = account.tables.code_detail.get(String(id));
  return { ...Object(Reflect.get(at, name)), currency_options: structuredClone(detail?.currencyOptions ?? null) };
}

function includableList(account: Account, parent: object, name: string): object | null | undefined {
  // Every object of the API has a string `id` and `object`; other values have no lists.
  const { id, object } = parent as { id?: unknown; object?: unknown };
  const field = `${String(object)}.${name}`;
  if (typeof id !== 'string') return name in parent ? null : undefined;
  if (field === 'checkout.session.line_items') {
    const lines = account.tables.checkout_plan.get(id)?.lines ?? [];
    return list(lines, `/v1/checkout/sessions/${id}/line_items`);
  }
  if (field === 'coupon.applies_to') {
    const products = account.tables.coupon_detail.get(id)?.products;
    return products ? { products: [...products] } : null;
  }
  if (field === 'coupon.currency_options')
    return structuredClone(account.tables.coupon_detail.get(id)?.currencyOptions ?? null);
  if (field === 'invoice.payments')
    return list(account.tables.invoice_payment.withField('invoice', id), '/v1/invoice_payments');
  if (field === 'charge.refunds')
    return list(account.tables.refund.withField('charge', id), `/v1/charges/${id}/refunds`);
  if (field === 'customer.tax_ids')
    return list(account.tables.tax_id.withField('customer', id), `/v1/customers/${id}/tax_ids`);
  if (field === 'customer.tax') return taxOfCustomer(account, id);
  if (field === 'customer.subscriptions') {
    const live = account.tables.subscription.withField('customer', id).filter(({ status }) => status !== 'canceled');
    return list(live, `/v1/customers/${id}/subscriptions`);
  }
  return name in parent ? null : undefined;
}

/** Returns whether sales to a customer can be taxed, which the API computes when it is asked. */
function taxOfCustomer(account: Account, id: string): object | null {
  const taxation = taxationFor(account, customerOrNull(account, id));
  return {
    automatic_tax: !taxation
      ? 'unrecognized_location'
      : taxation.reason === 'not_collecting'
        ? 'not_collecting'
        : 'supported',
    ip_address: null,
    location: taxation && { ...taxation.location, source: 'billing_address' },
    provider: 'stripe',
  };
}

function list(data: readonly object[], url: string): object {
  return structuredClone({ object: 'list', data, has_more: false, url });
}

function cannotExpand(path: string) {
  return invalidRequest(`This property cannot be expanded (${path}).`, 'expand');
}
