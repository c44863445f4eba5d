import type { SubscriptionSnapshot } from '@billing/processor/port';
import { describe, expect, it } from 'vitest';
import { withRecordedPayment, readPendingChange } from '#record/pending-change.rules';
import { canBeMarked, invoicesOf, outcomeOf, type KnownBy } from './decide.rules.ts';

const CHANGE_ID = 'chg_8k1m5n9p3q7r1s5t9v3w7x1y';
const at = new Date(Date.UTC(2026, 3, 14));
const payment = { amountDue: 2_113, reason: 'declined', hostedInvoiceUrl: 'https://pay.example/1' } as const;
const item = (quantity: number) => ({ id: 'si_1', priceId: 'price_1', quantity });

/** A subscription to 5 seats, and what waits for its payment. */
function snapshot(changes: Partial<SubscriptionSnapshot> = {}, seats = 5): SubscriptionSnapshot {
  const price = { id: 'price_1' };
  const items = [{ id: 'si_1', price, quantity: seats, amount: null }];
  // What decides is given; the other fields of an item's price do not count.
  return {
    id: 'sub_1',
    items,
    latestInvoiceId: 'in_1',
    pendingUpdate: null,
    schedule: null,
    metadata: {},
    ...changes,
  } as unknown as SubscriptionSnapshot;
}
const pending = (metadata: Record<string, string>, quantity = 8) => ({
  expiresAt: at,
  items: [item(quantity)],
  metadata,
  payment: null,
});
const marked: KnownBy = {
  changeId: CHANGE_ID,
  items: [{ processorPriceId: 'price_1', quantity: 8 }],
  isMarked: true,
  latestInvoiceId: 'in_1',
  replacesPending: false,
  change: { items: [item(8)] },
};
const unmarked = { ...marked, isMarked: false };

describe('outcomeOf', () => {
  it.each([
    ['applied, by its mark', snapshot({ metadata: { changeId: CHANGE_ID } }), marked, 'applied'],
    [
      'pending, by the mark of its update',
      snapshot({ pendingUpdate: pending({ changeId: CHANGE_ID }) }),
      marked,
      'pending',
    ],
    ['unknown without its mark', snapshot({}, 8), marked, null],
    ['unknown while another one is pending', snapshot({ pendingUpdate: pending({}) }), marked, null],
    ['applied, by its items', snapshot({}, 8), unmarked, 'applied'],
    [
      'pending, by its items and invoice',
      snapshot({ latestInvoiceId: 'in_2', pendingUpdate: pending({}) }),
      unmarked,
      'pending',
    ],
    ['unknown when the pending one has an older invoice', snapshot({ pendingUpdate: pending({}) }), unmarked, null],
    ['unknown when neither items nor invoice tell it', snapshot({}, 8), { ...unmarked, change: {} }, null],
  ])('finds a change %s', (_title, found, known, outcome) => {
    expect(outcomeOf(found, known)).toBe(outcome);
  });
});

it('names a change only where the metadata have room and the key is not taken', () => {
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']));
  expect(canBeMarked({ metadata: keys(49) })).toBe(true);
  expect(canBeMarked({ metadata: keys(50) })).toBe(false);
  expect(canBeMarked({ metadata: { ...keys(49), changeId: CHANGE_ID } })).toBe(true);
  expect(canBeMarked({ metadata: { changeId: 'their own' } })).toBe(false);
});

it('tells the invoices that a change has made or voided', () => {
  expect(invoicesOf(snapshot(), marked)).toEqual([]);
  const newer = { latestInvoiceId: 'in_2' };
  expect(invoicesOf(snapshot(newer), marked)).toEqual(['in_2']);
  const replacing = { ...marked, replacesPending: true };
  expect(invoicesOf(snapshot(newer), replacing)).toEqual(['in_1', 'in_2']);
  // A period may have ended meanwhile.
  const phases = [{ items: [] }, { items: [], startsAt: at }];
  const schedule = { id: 'sub_sched_1', metadata: { changeId: CHANGE_ID, changeFrom: 'x' }, phases };
  const scheduled = snapshot({ ...newer, scheduleId: schedule.id, schedule: schedule as never });
  expect(invoicesOf(scheduled, replacing)).toEqual(['in_1']);
});

describe('withRecordedPayment', () => {
  const recorded = readPendingChange(snapshot({ pendingUpdate: { ...pending({ changeId: CHANGE_ID }), payment } }));

  it('adds what is recorded of the change that a snapshot shows, and of no other', () => {
    const same = snapshot({ pendingUpdate: pending({ changeId: CHANGE_ID }) });
    expect(withRecordedPayment(same, recorded).pendingUpdate?.payment).toEqual(payment);
    const other = snapshot({ pendingUpdate: pending({ changeId: CHANGE_ID }, 9) });
    expect(withRecordedPayment(other, recorded)).toBe(other);
    expect(withRecordedPayment(same, null)).toBe(same);
  });

  it('knows a change that is not marked by its invoice', () => {
    const ids = ['in_1', 'in_1', 'in_2'].map(
      latestInvoiceId => readPendingChange(snapshot({ latestInvoiceId, pendingUpdate: pending({}) }))?.id,
    );
    expect(ids[0]).toMatch(/^chg_/);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
  });
});
