import type { BillingEvent } from '@billing/client';
import type { PublicEventType } from '@billing/contracts/event-types';
import { eventExample } from '@billing/contracts/resources/event-data';
import type { Names } from '../src/happenings.rules.ts';
import type { Step } from '../src/rehearsal.ts';
import type { Entry } from '../src/timeline.rules.ts';

export const ADA = 'pc_ada';
export const NAMES: Names = {
  customers: new Map([[ADA, 'ada']]),
  prices: new Map([
    ['pri_1', 'pro_monthly'],
    ['pri_2', 'pro_yearly'],
  ]),
};

/** An event of Ada's object `id`, as the API's example but for its data. */
export function event(
  type: PublicEventType,
  id: string,
  data: object,
  previousAttributes: object | null,
): BillingEvent {
  const example = eventExample(type);
  const owner = { customerId: ADA, ...data };
  const merged = { ...Object(example['data']), ...(type.startsWith('customer') ? data : owner) };
  const object = { ...Object(example['object']), id };
  return { ...example, object, data: merged, previousAttributes } as BillingEvent; // an example with other values
}

export const subscription = (data: object, previous: object | null) =>
  event(
    previous ? 'subscription.updated' : 'subscription.created',
    'ps_1',
    { priceId: 'pri_1', quantity: 1, startedAt: '2030-01-31T12:00:00.000Z', ...data },
    previous,
  );
export const invoice = (data: object, previous: object | null = null) =>
  event(
    'invoice.paid',
    String(Object(data).number),
    { status: 'paid', total: 2_999, currency: 'usd', ...data },
    previous,
  );
export const state = (entitlements: object, previous: object | null, payment: object = {}) =>
  event(
    'customer.state_changed',
    ADA,
    { customer: { id: ADA }, entitlements, payment: { status: 'ok', graceEndsAt: null, ...payment } },
    previous,
  );
export const seats = (value: number) => ({ seats: { value } });

export const entry = (step: Step, more: Partial<Entry> = {}): Entry => ({
  step,
  at: '2030-02-28T12:00:00.000Z',
  events: [],
  differences: [],
  error: null,
  ...more,
});
