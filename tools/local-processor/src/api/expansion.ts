import type { Account } from '../store/account.ts';
import type { TableName } from '../objects/stored.ts';
import { invalidRequest } from './failure.ts';

const DEEPEST = 4;

const TABLE_OF_PREFIX = new Map<string, TableName>([
  ['cus', 'customer'],
  ['prod', 'product'],
  ['price', 'price'],
  ['sub', 'subscription'],
  ['in', 'invoice'],
  ['inpay', 'invoice_payment'],
  ['pm', 'payment_method'],
  ['pi', 'payment_intent'],
  ['seti', 'setup_intent'],
  ['ch', 'charge'],
  ['cs', 'checkout.session'],
  ['cbtxn', 'customer_balance_transaction'],
]);

/**
 * A copy of an answer with the asked-for ids replaced by their objects, and with the lists that are only sent when
 * asked for. Paths are written with dots, through lists by `data`. Fails on what cannot be expanded.
 * (Stripe: https://docs.stripe.com/api/expanding_objects)
 */
export function expanded(account: Account, answer: object, paths: readonly string[] | undefined): object {
  if (!paths || paths.length === 0) return answer;
  const copy = structuredClone(answer);
  for (const path of paths) {
    const segments = path.split('.');
    if (segments.length > DEEPEST)
      throw invalidRequest(`You cannot expand more than ${DEEPEST} levels of a property. Property: ${path}`, {
        param: 'expand',
      });
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
  const value: unknown = Reflect.get(at, name) ?? listOnRequest(account, at, name);
  if (typeof value === 'string') {
    const found = findById(account, value);
    if (!found) throw cannotExpand(path);
    Reflect.set(at, name, structuredClone(found));
  } else if (value === undefined) {
    throw cannotExpand(path);
  } else if (value !== null) {
    Reflect.set(at, name, value);
  }
  expandAt(account, Reflect.get(at, name), rest, path);
}

function findById(account: Account, id: string): object | undefined {
  const table = TABLE_OF_PREFIX.get(id.slice(0, id.indexOf('_')));
  return table && account.tables[table].get(id);
}

function listOnRequest(account: Account, parent: object, name: string): object | null | undefined {
  // Every object of the API has a string id and object; anything else has no lists of its own.
  const { id, object } = parent as { id?: unknown; object?: unknown };
  const field = `${String(object)}.${name}`;
  if (typeof id !== 'string') return name in parent ? null : undefined;
  if (field === 'checkout.session.line_items') {
    const lines = account.tables.checkout_plan.get(id)?.lines ?? [];
    return list(lines, `/v1/checkout/sessions/${id}/line_items`);
  }
  if (field === 'invoice.payments')
    return list(account.tables.invoice_payment.withField('invoice', id), '/v1/invoice_payments');
  if (field === 'customer.subscriptions') {
    const live = account.tables.subscription.withField('customer', id).filter(({ status }) => status !== 'canceled');
    return list(live, `/v1/customers/${id}/subscriptions`);
  }
  return name in parent ? null : undefined;
}

function list(data: readonly object[], url: string): object {
  return structuredClone({ object: 'list', data, has_more: false, url });
}

function cannotExpand(path: string) {
  return invalidRequest(`This property cannot be expanded (${path}).`, { param: 'expand' });
}
