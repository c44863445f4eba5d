import type { BillingEvent, EventObjectType, Invoice, Payment, Subscription } from '@billing/client';
import { customerTitle } from '#api/customer-names.ts';
import { unitOf, type ProductNames } from '#api/product-names.ts';
import { formatCount, formatItems, formatPrice } from '#ui/amount.ts';
import { formatMoney } from '#ui/money.ts';
import { sentence as titled } from '#ui/sentence.ts';
import { SUBSCRIPTION_STATUS } from '#ui/statuses.tsx';
import { formatDate } from '#ui/time.tsx';
import { changesText, customer, fieldText, joined, say, type Sentence } from './sentence.ts';

type EventAbout<ObjectType extends EventObjectType> = Extract<BillingEvent, { object: { type: ObjectType } }>;
type DataOf<ObjectType extends EventObjectType> = NonNullable<EventAbout<ObjectType>['data']>;
/** What fields that changed were before. */
type Before<Data> = { readonly [Field in keyof Data]?: Data[Field] | null };
type Tell<Data> = (data: Data, before: Before<Data>, names: ProductNames) => Sentence;

const price = (id: string) => ({ of: 'price', id }) as const;
const has = (fields: object, ...names: readonly string[]) => names.some(name => Object.hasOwn(fields, name));

/** Fields that change along with others, or that people do not see. */
const FOLLOWS: ReadonlySet<string> = new Set(['updatedAt', 'createdAt', 'asOf', 'currentPeriodEnd']);

function fieldsText(data: object, before: object): string {
  const now = new Map<string, unknown>(Object.entries(data));
  // Ids say which other records were found to belong to it.
  const all = Object.entries(before).filter(([field]) => !FOLLOWS.has(field) && !field.endsWith('Id'));
  return changesText(all.map(([field, from]: [string, unknown]) => ({ field, from, to: now.get(field) })));
}
const changed = (subject: Sentence, data: object, before: object): Sentence => {
  const fields = fieldsText(data, before);
  return fields === '' ? say`${subject} changed in details` : say`${subject} changed: ${fields}`;
};

const invoiceText = ({ number, amountDue, currency }: Pick<Invoice, 'number' | 'amountDue' | 'currency'>): string =>
  `${number ? `invoice ${number}` : 'an invoice'} of ${formatMoney(amountDue, currency)}`;
const paid = ({ amount, currency }: Payment): string => formatMoney(amount, currency);
const payer = ({ customerId }: Payment): Sentence => [customerId === null ? 'Somebody' : customer(customerId)];

const statusText = (status: Subscription['status']): string => SUBSCRIPTION_STATUS[status].name.toLowerCase();
const pricesOf = (items: Subscription['items']): string => JSON.stringify(items.map(it => it.processorPriceId));

/** Says how many there were and are: "went from 3 to 5 seats", in the unit of the product. */
function quantityText(from: number, { quantity, priceId, items }: Subscription, names: ProductNames): string {
  const what = unitOf(names, priceId, quantity) ?? `of ${names.ofItems(items)}`;
  return `went from ${formatCount(from)} to ${formatCount(quantity)} ${what}`;
}

/** Says what a customer's subscription did, in the order of what matters; empty when only other fields changed. */
function subscriptionChanges(data: Subscription, before: Before<Subscription>, names: ProductNames): string[] {
  const name = names.ofItems(data.items);
  const parts: string[] = [];
  if (before.items && pricesOf(before.items) !== pricesOf(data.items))
    parts.push(`changed from ${names.ofItems(before.items)} to ${name}: ${formatItems(data.items)}`);
  else if (typeof before.quantity === 'number') parts.push(quantityText(before.quantity, data, names));
  else if (before.items) parts.push(`changed to ${formatItems(data.items)}`);
  if (before.status) parts.push(`went from ${statusText(before.status)} to ${statusText(data.status)} with ${name}`);
  if (has(before, 'cancelAtPeriodEnd', 'cancelAt'))
    parts.push(
      data.cancelAt ? `canceled ${name}, which ends on ${formatDate(data.cancelAt)}` : `keeps ${name} after all`,
    );
  if (data.scheduledChange && has(before, 'scheduledChange'))
    parts.push(`will change from ${name} on ${formatDate(data.scheduledChange.effectiveAt)}`);
  if (data.pendingChange && has(before, 'pendingChange')) parts.push(`has yet to pay for a change of ${name}`);
  if (has(before, 'paused')) parts.push(data.paused ? `pays nothing for ${name} for now` : `pays for ${name} again`);
  if (has(before, 'tax')) parts.push(taxText(data, name));
  if (has(before, 'discounts'))
    parts.push(data.discounts.length > 0 ? `got a discount on ${name}` : `has no discount on ${name} any more`);
  if (data.status === 'trialing' && data.trialEnd && has(before, 'trialEnd'))
    parts.push(`tries ${name} until ${formatDate(data.trialEnd)}`);
  if (has(before, 'refusedPaymentMethod') && data.refusedPaymentMethod)
    parts.push(`saved a payment method that can’t pay for ${name}`);
  if (has(before, 'currentPeriodStart')) parts.push(`began a new period of ${name}`);
  return parts;
}

function taxText({ tax }: Subscription, name: string): string {
  if (tax.stoppedReason) return `is billed for ${name} without tax, as Stripe does not recognize the address`;
  return tax.automatic ? `pays ${name} with tax` : `pays ${name} without tax`;
}

/** What each type of event says. A type without a sentence is an error of types, and fails a test. */
const SENTENCES: {
  readonly [ObjectType in EventObjectType]: Readonly<Record<EventAbout<ObjectType>['type'], Tell<DataOf<ObjectType>>>>;
} = {
  customer: {
    'customer.created': data => say`${customerTitle(data)} became a customer`,
    'customer.updated': (data, before) => changed([`The customer ${customerTitle(data)}`], data, before),
    'customer.deleted': data =>
      customerTitle(data) === data.id
        ? ['A customer was deleted']
        : say`The customer ${customerTitle(data)} was deleted`,
  },
  customer_state: {
    'customer.state_changed': ({ customer: { id }, entitlements }, before) => {
      const old = before.entitlements ?? {};
      const keys = [...new Set([...Object.keys(old), ...Object.keys(entitlements)])].filter(
        key => JSON.stringify(old[key]) !== JSON.stringify(entitlements[key]),
      );
      return before.entitlements && keys.length > 0
        ? say`What ${customer(id)} may use changed: ${keys.slice(0, 3).join(', ')}`
        : say`What ${customer(id)} may use, or has to pay, changed`;
    },
  },
  customer_billing_details: {
    'customer.billing_details_updated': ({ customerId }, before) => {
      const fields = Object.keys(before).map(fieldText);
      return say`The billing details of ${customer(customerId)} changed${fields.length > 0 ? `: ${fields.join(', ')}` : ''}`;
    },
  },
  usage: {
    'usage.rejected': ({ customerId, meter, reason }) =>
      say`Usage of ${customer(customerId)} (${meter}) was rejected: ${reason?.message ?? 'unknown'}`,
  },
  product: {
    'product.created': ({ name }) => say`The product ${name} was created`,
    'product.updated': (data, before) => changed([`The product ${data.name}`], data, before),
    'product.deleted': ({ name }) => say`The product ${name} was deleted`,
  },
  price: {
    'price.created': data => say`${price(data.id)} got a price: ${formatPrice(data)}`,
    'price.updated': (data, before) =>
      has(before, 'isActive')
        ? say`The price ${formatPrice(data)} of ${price(data.id)} is ${data.isActive ? 'sold' : 'no longer sold'}`
        : changed(say`The price ${formatPrice(data)} of ${price(data.id)}`, data, before),
    'price.deleted': data => say`The price ${formatPrice(data)} of ${price(data.id)} was deleted`,
  },
  subscription: {
    'subscription.created': ({ customerId, items, status }, _before, names) =>
      say`${customer(customerId)} ${status === 'trialing' ? 'began to try' : 'subscribed to'} ${names.ofItems(items)}: ${formatItems(items)}`,
    'subscription.updated': (data, before, names) => {
      const changes = subscriptionChanges(data, before, names);
      return changes.length > 0
        ? say`${customer(data.customerId)} ${joined(changes)}`
        : changed(say`${customer(data.customerId)}’s ${names.ofItems(data.items)}`, data, before);
    },
    'subscription.canceled': ({ customerId, items }, _before, names) =>
      say`${customer(customerId)}’s ${names.ofItems(items)} ended`,
    'subscription.trial_ending': ({ customerId, items, trialEnd }, _before, names) =>
      say`${customer(customerId)}’s trial of ${names.ofItems(items)} ends ${trialEnd ? `on ${formatDate(trialEnd)}` : 'soon'}`,
  },
  invoice: {
    'invoice.created': data => say`${customer(data.customerId)} is to get ${invoiceText(data)}`,
    'invoice.updated': (data, before) =>
      changed(say`${customer(data.customerId)}’s ${invoiceText(data)}`, data, before),
    'invoice.finalized': data => say`${customer(data.customerId)} got ${invoiceText(data)}`,
    'invoice.paid': data => say`${customer(data.customerId)} paid ${invoiceText(data)}`,
    'invoice.voided': data => say`${customer(data.customerId)} need not pay ${invoiceText(data)}: it was voided`,
    'invoice.uncollectible': data =>
      say`${customer(data.customerId)} will not pay ${invoiceText(data)}: it was given up`,
  },
  payment: {
    'payment.succeeded': data => say`${payer(data)} paid ${paid(data)}`,
    'payment.failed': data =>
      say`${payer(data)} could not pay ${paid(data)}${data.failureMessage ? `: ${data.failureMessage}` : ''}`,
    'payment.refunded': (data, before) =>
      say`${payer(data)} got ${formatMoney(data.amountRefunded - (before.amountRefunded ?? 0), data.currency)} back`,
    'payment.disputed': data => say`${payer(data)} disputed a payment of ${paid(data)}`,
    'payment.dispute_won': data => say`${payer(data)} lost a dispute about ${paid(data)}, which you keep`,
    'payment.dispute_lost': data => say`${payer(data)} won a dispute, and got ${paid(data)} back`,
    'payment.updated': (data, before) => changed(say`${payer(data)}’s payment of ${paid(data)}`, data, before),
  },
  referral: {
    'referral.created': ({ referrerCustomerId, refereeCustomerId, code }) =>
      say`${customer(refereeCustomerId)} came with the code ${code} of ${customer(referrerCustomerId)}`,
    'referral.converted': ({ referrerCustomerId, refereeCustomerId }) =>
      say`${customer(refereeCustomerId)} subscribed, referred by ${customer(referrerCustomerId)}`,
  },
  referral_code: {
    'referral_code.created': ({ code, customerId }) => say`${customer(customerId)} got the referral code ${code}`,
    'referral_code.deactivated': ({ code, customerId }) =>
      say`The referral code ${code} of ${customer(customerId)} was turned off`,
  },
  referral_credit: {
    'referral_credit.credited': ({ customerId, amount, currency }) =>
      say`${customer(customerId)} got a credit of ${formatMoney(amount, currency)} for a referral`,
    'referral_credit.failed': ({ customerId, amount, currency }) =>
      say`${customer(customerId)} could not be given a credit of ${formatMoney(amount, currency)}`,
  },
  webhook_endpoint: {
    'webhook_endpoint.disabled': ({ url }) => say`Events are no longer sent to ${url}`,
  },
};

/** Returns the title of an event: `Invoice paid` of `invoice.paid`. */
export const eventTitle = (type: string): string => titled(type.replaceAll('.', ' '));

/**
 * Says what happened, from what the event holds: "Katherine went from 3 to 5 seats". Its title when it came without its object,
 * or is of a type that is not known here.
 */
export function eventSentence({ type, object, data, previousAttributes }: BillingEvent, names: ProductNames): Sentence {
  // An event's data is of its object's type, and a newer service may send types that are not known here.
  const sentences = SENTENCES[object.type] as Readonly<Record<string, Tell<unknown>>> | undefined;
  const tell = sentences?.[type];
  return data && tell ? tell(data, previousAttributes ?? {}, names) : [eventTitle(type)];
}
