import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { INVOICE_STATUSES } from '@billing/contracts/resources/invoice';
import type { InvoiceSnapshot } from '@billing/processor/snapshots/invoice';
import {
  applyInvoiceObservations,
  contentOf,
  positionOfRead,
  supersedes,
  type InvoiceObservation,
  type InvoiceState,
  type RecordedInvoice,
} from './invoice.rules.ts';

const state: fc.Arbitrary<InvoiceState> = fc.record({
  status: fc.constantFrom(...INVOICE_STATUSES),
  amountPaid: fc.nat(3),
  position: fc.record({
    at: fc.nat(3).map(seconds => new Date(seconds * 1_000)),
    rank: fc.nat(5),
    eventId: fc.uuid(),
  }),
});
const fold = (states: readonly InvoiceState[]) =>
  states.reduce((recorded, next) => (supersedes(next, recorded) ? next : recorded));

it('leads to the same state in every order of events', () => {
  const orders = fc
    .array(state, { minLength: 1, maxLength: 8 })
    .chain(all => fc.tuple(fc.constant(all), fc.shuffledSubarray([...all, ...all], { minLength: all.length * 2 })));
  fc.assert(
    fc.property(orders, ([all, shuffled]) => {
      expect(fold(shuffled)).toEqual(fold(all));
    }),
  );
});

it('keeps an invoice paid when an older event shows it open', () => {
  const paid = { status: 'paid', amountPaid: 1, position: { at: new Date(9_000), rank: 5, eventId: 'a' } } as const;
  const open = { status: 'open', amountPaid: 0, position: { at: new Date(8_000), rank: 2, eventId: 'b' } } as const;
  expect(supersedes(open, paid)).toBe(false);
  expect(supersedes(paid, open)).toBe(true);
});

it('prefers the newer event to one with a later status', () => {
  const position = (seconds: number, rank: number) => ({ at: new Date(seconds * 1_000), rank, eventId: 'a' });
  const older = { status: 'uncollectible', amountPaid: 1, position: position(8, 3) } as const;
  const newer = { status: 'open', amountPaid: 0, position: position(9, 1) } as const;
  expect(supersedes(newer, older)).toBe(true);
  expect(supersedes(older, newer)).toBe(false);
});

it('keeps an invoice paid when a newer event shows it open', () => {
  const paid = { status: 'paid', amountPaid: 1, position: { at: new Date(8_000), rank: 5, eventId: 'a' } } as const;
  const open = { status: 'open', amountPaid: 0, position: { at: new Date(9_000), rank: 2, eventId: 'b' } } as const;
  expect(supersedes(open, paid)).toBe(false);
});

it('does not replace a state by itself', () => {
  fc.assert(
    fc.property(state, recorded => {
      expect(supersedes(recorded, recorded)).toBe(false);
    }),
  );
});

describe('a read of the processor', () => {
  const VERSION = 3;
  const at = new Date(9_000);
  const LINE = {
    description: null,
    amount: 3,
    discount: 0,
    quantity: 1,
    priceId: null,
    periodStart: at,
    periodEnd: at,
    isProration: false,
  };
  const LIVE = { isErased: false };
  const snapshot = (changes: Partial<InvoiceSnapshot>): InvoiceSnapshot => ({
    id: 'in_1',
    customerId: 'cus_1',
    finalizesAt: null,
    testClockId: null,
    subscriptionId: null,
    subscriptionMetadata: {},
    metadata: {},
    number: null,
    status: 'open',
    subtotal: 3,
    discount: 0,
    tax: 0,
    total: 3,
    taxes: [],
    customerTaxIds: [],
    purchaseOrder: null,
    lines: [],
    amountDue: 3,
    amountPaid: 0,
    amountRemaining: 3,
    attempted: false,
    attempts: 0,
    nextAttemptAt: null,
    finalizedAt: null,
    currency: 'usd',
    billingReason: null,
    paymentMethodId: null,
    hostedInvoiceUrl: null,
    invoicePdfUrl: null,
    periodStart: at,
    periodEnd: at,
    dueDate: null,
    paidAt: null,
    givenUpAt: null,
    paymentIds: [],
    createdAt: at,
    ...changes,
  });
  const recorded = {
    content: contentOf(snapshot({}), LIVE),
    position: { at, rank: 2, eventId: 'evt_0' },
    version: VERSION,
  };
  /** What only one event of several bills. */
  const billed = (amount: number): Partial<InvoiceSnapshot> => ({
    tax: amount,
    taxes: [{ amount, taxableAmount: null, inclusive: true, reason: null }],
    customerTaxIds: [{ type: 'eu_vat', value: `DE${amount}` }],
    lines: [{ ...LINE, amount }],
  });
  /** An event of the same second as the record: only the processor knows which state holds. */
  const tie = (eventId: string, read: Partial<InvoiceSnapshot>, version = VERSION): InvoiceObservation => ({
    snapshot: snapshot({ number: eventId }),
    position: { at, rank: 2, eventId },
    reread: { snapshot: snapshot(read), version },
  });

  it('is applied when the record has not changed since', () => {
    const { invoice, unprepared } = applyInvoiceObservations(recorded, [tie('evt_1', { number: 'A' })]);
    expect(invoice.content.number).toBe('A');
    expect(unprepared).toEqual([]);
  });

  it('is outdated when another transaction has changed the record', () => {
    const event = tie('evt_1', { number: 'A' }, VERSION - 1);
    const { invoice, unprepared } = applyInvoiceObservations(recorded, [event]);
    expect(invoice).toBe(recorded);
    expect(unprepared).toEqual([event]);
  });

  it('leads to the processor’s state among events in every order', () => {
    const life = fc
      .array(fc.constantFrom('draft', 'open', 'uncollectible'), { minLength: 5, maxLength: 5 })
      .map(statuses => statuses.toSorted()); // in the order of an invoice's life
    const scenario = fc
      .record({
        seconds: fc.array(fc.nat(2), { minLength: 1, maxLength: 5 }),
        life,
        end: fc.constantFrom(null, 'paid', 'void'),
        skew: fc.integer({ min: -3, max: 3 }),
      })
      .chain(history => {
        const { length } = history.seconds;
        const places = [...Array(length).keys(), ...Array(length).keys()];
        return fc.record({
          history: fc.constant(history),
          // The invoice is read first as it was after some event, and perhaps once more at last, as it is.
          firstRead: fc.nat(length - 1),
          order: fc.oneof(
            fc.shuffledSubarray(places, { minLength: places.length }),
            fc.shuffledSubarray([...places, 'read'] as const, { minLength: places.length + 1 }),
          ),
        });
      });
    fc.assert(
      fc.property(scenario, ({ history, firstRead, order }) => {
        let time = 0;
        const events = history.seconds.map((pause, index) => {
          time += pause;
          const isLast = index === history.seconds.length - 1;
          const status = (isLast && history.end) || (history.life[index] ?? null);
          const position = { at: new Date(time * 1_000), rank: 2, eventId: `evt_${index}` };
          return { snapshot: snapshot({ status, number: `v${index}`, ...billed(index) }), position };
        });
        const readAfter = (index: number) => {
          const event = events[index] ?? events[0];
          if (!event) throw new Error('There is no event.');
          return { ...event, position: positionOfRead(new Date(event.position.at.getTime() + history.skew * 1_000)) };
        };
        const last = readAfter(events.length - 1);
        const first = readAfter(firstRead);
        let invoice: RecordedInvoice = {
          content: contentOf(first.snapshot, LIVE),
          position: first.position,
          version: 1,
        };
        for (const place of order) {
          const event = place === 'read' ? last : events[place];
          if (!event) continue;
          const { version } = invoice;
          const apply = (reread: InvoiceObservation['reread']) =>
            applyInvoiceObservations<InvoiceObservation>(invoice, [{ ...event, reread }]);
          const unread = apply(null);
          const applied = unread.unprepared.length > 0 ? apply({ snapshot: last.snapshot, version }) : unread;
          expect(applied.unprepared).toEqual([]);
          if (applied.invoice !== invoice) invoice = { ...applied.invoice, version: version + 1 };
        }
        expect(invoice.content).toEqual(contentOf(last.snapshot, LIVE));
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('is outdated when an earlier event of the batch has changed the record', () => {
    const events = [tie('evt_1', { number: 'A' }), tie('evt_2', { number: 'B' })];
    const { invoice, unprepared } = applyInvoiceObservations(recorded, events);
    expect(invoice.content.number).toBe('A');
    expect(unprepared).toEqual(events.slice(1));
  });
});
