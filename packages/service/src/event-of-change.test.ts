import { describe, expect, it } from 'vitest';
import { EVENT_TYPES, type EventObjectType } from '@billing/contracts/event-types';
import { EVENT_DATA, eventExample } from '@billing/contracts/resources/event-data';
import { event as eventSchema } from '@billing/contracts/resources/event';
import { z } from 'zod';
import { previousAttributes, typesOfChange, type Resource } from './event-of-change.ts';

const typesOf = (object: EventObjectType, previous: Resource | null, resource: Resource) =>
  typesOfChange(object, { previous, resource }).map(type => type.replace(`${object}.`, ''));

describe('the type of a change', () => {
  it.each([
    [null, 'draft', ['created']],
    [null, 'open', ['created', 'finalized']],
    [null, 'paid', ['created', 'paid']],
    [null, 'void', ['created', 'voided']],
    [null, 'uncollectible', ['created', 'uncollectible']],
    ['draft', 'draft', ['updated']],
    ['draft', 'open', ['finalized']],
    ['open', 'paid', ['paid']],
    ['open', 'uncollectible', ['uncollectible']],
    ['uncollectible', 'void', ['voided']],
  ])('of an invoice that was %s and is %s is %j', (before, after, types) => {
    expect(typesOf('invoice', before === null ? null : { status: before }, { status: after })).toEqual(types);
  });

  it.each([
    [null, 'active', ['created']],
    [null, 'canceled', ['created', 'canceled']],
    ['trialing', 'active', ['updated']],
    ['active', 'canceled', ['canceled']],
    ['canceled', 'canceled', ['updated']],
  ])('of a subscription that was %s and is %s is %j', (before, after, types) => {
    expect(typesOf('subscription', before === null ? null : { status: before }, { status: after })).toEqual(types);
  });

  it.each([
    ['succeeded', null, { status: 'succeeded' }],
    ['succeeded', { status: 'failed' }, { status: 'succeeded' }],
    ['succeeded', { status: 'requires_capture' }, { status: 'succeeded' }],
    ['updated', null, { status: 'requires_capture' }],
    ['updated', { status: 'requires_capture' }, { status: 'canceled' }],
    ['updated', { status: 'succeeded' }, { status: 'succeeded', processorChargeId: 'ch_1' }],
    ['failed', null, { status: 'failed' }],
    ['updated', { status: 'failed' }, { status: 'failed', processorChargeId: 'ch_1' }],
    ['failed', { status: 'failed', processorChargeId: 'ch_1' }, { status: 'failed', processorChargeId: 'ch_2' }],
    ['refunded', { status: 'succeeded' }, { status: 'refunded', amountRefunded: 5 }],
    ['updated', { status: 'refunded', amountRefunded: 5 }, { status: 'succeeded', amountRefunded: 0 }],
    ['updated', { status: 'succeeded' }, { status: 'inquiry' }],
    ['updated', { status: 'inquiry' }, { status: 'succeeded' }],
    ['disputed', { status: 'inquiry' }, { status: 'disputed' }],
    ['dispute_won', { status: 'disputed' }, { status: 'succeeded' }],
    ['dispute_won', { status: 'disputed', amountRefunded: 5 }, { status: 'partially_refunded', amountRefunded: 5 }],
    ['dispute_lost', { status: 'disputed' }, { status: 'dispute_lost' }],
    ['dispute_lost', { status: 'succeeded' }, { status: 'dispute_lost' }],
  ])('of a payment is %s: %j, then %j', (type, previous, resource) => {
    expect(typesOf('payment', previous, resource)).toEqual([type]);
  });
});

it.each([
  [null, 'partially_refunded', ['succeeded', 'refunded']],
  ['failed', 'refunded', ['succeeded', 'refunded']],
  [null, 'disputed', ['succeeded', 'disputed']],
  ['requires_capture', 'dispute_lost', ['succeeded', 'dispute_lost']],
  [null, 'inquiry', ['succeeded']],
  ['inquiry', 'refunded', ['refunded']],
])('of a payment that was %s and is first seen %s is %j', (before, status, types) => {
  const resource = { status, amountRefunded: status.endsWith('refunded') ? 5 : 0 };
  const previous = before === null ? null : { status: before };
  expect(typesOfChange('payment', { resource, previous })).toEqual(types.map(type => `payment.${type}`));
});

it('has what the fields that changed were, an absent one as null, without the time of the change', () => {
  const resource = { id: 'x', name: 'Pro', updatedAt: 2, items: [1] };
  expect(previousAttributes({ resource, previous: null })).toBeNull();
  expect(previousAttributes({ resource, previous: { ...resource, updatedAt: 1, items: [1] } })).toBeUndefined();
  const previous = { id: 'x', note: 'new', updatedAt: 1, items: [] };
  expect(previousAttributes({ resource, previous })).toEqual({ name: null, note: 'new', items: [] });
});

it.each(EVENT_TYPES.filter(type => type !== 'subscription.trial_ending'))(
  'is, of the example of %s, its type, and the example has all that such an event has',
  type => {
    const {
      object,
      data,
      previousAttributes: before,
    } = z.encode(eventSchema, z.parse(eventSchema, eventExample(type)));
    expect(z.encode(EVENT_DATA[object.type], z.parse(EVENT_DATA[object.type], data))).toEqual(data);
    const change = { resource: data ?? {}, previous: before ? { ...data, ...before } : null };
    const isDeleted = type.endsWith('.deleted');
    expect(typesOfChange(object.type, change, { isDeleted })).toEqual([type]);
    expect(previousAttributes(change) ?? (isDeleted ? {} : null)).toEqual(before);
  },
);
