import { EVENT_TYPES, type BillingEvent, type Product, type Subscription } from '@billing/client';
import { eventExample } from '@billing/contracts/resources/event-data';
import { expect, it } from 'vitest';
import { productNames } from '#api/product-names.ts';
import { eventSentence, eventTitle } from './event-sentence.ts';
import { textOf } from './sentence.ts';

// Only the fields that names need.
const product = { id: 'prod_1', name: 'Pro', unitLabel: 'seat' } as unknown as Product;
const priceId = String(Object(eventExample('subscription.created')['data']).priceId);
const names = productNames([{ id: priceId, productId: product.id } as never], [product]);

const tell = (event: object): string =>
  // An example is an event as the API returns it.
  textOf(eventSentence(event as BillingEvent, names), ({ of }) => (of === 'customer' ? 'Katherine' : product.name));

const updated = (before: Partial<Subscription>, now: Partial<Subscription>) => {
  const event = eventExample('subscription.updated');
  return tell({ ...event, data: { ...Object(event['data']), ...now }, previousAttributes: before });
};

it.each(EVENT_TYPES)('says in a sentence what %s means', type => {
  const text = tell(eventExample(type));
  expect(text).not.toBe(eventTitle(type));
  expect(text).not.toMatch(/undefined|null|\[object|_[0-9a-z]{20}/);
});

it('names customer, quantity and unit, and what else changed', () => {
  expect(updated({ quantity: 3 }, { quantity: 5 })).toBe('Katherine went from 3 to 5 seats');
  expect(
    updated({ status: 'past_due', cancelAt: '2027-01-01T00:00:00.000Z' }, { status: 'active', cancelAt: null }),
  ).toBe('Katherine went from past due to active with Pro and keeps Pro after all');
  expect(updated({ metadata: {} }, { metadata: { a: 'b' } })).toBe('Katherine’s Pro changed: metadata');
});

it('names what changed of billing details in words', () => {
  const previousAttributes = { taxIds: [], businessName: null };
  expect(tell({ ...eventExample('customer.billing_details_updated'), previousAttributes })).toBe(
    'The billing details of Katherine changed: tax ids, business name',
  );
});

it('falls back to the title of an event of an unknown type, or without its object', () => {
  const event = eventExample('invoice.paid');
  expect(tell({ ...event, type: 'invoice.lost_in_mail' })).toBe('Invoice lost in mail');
  expect(tell({ ...event, type: 'moon.risen', object: { type: 'moon', id: 'm', sequence: 1 } })).toBe('Moon risen');
  expect(tell({ ...event, data: undefined, truncated: true })).toBe('Invoice paid');
});
