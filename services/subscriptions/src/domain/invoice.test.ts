import fc from 'fast-check';
import { expect, it } from 'vitest';
import { INVOICE_STATUSES } from '@billing/contracts/resources/invoice';
import { supersedes, type InvoiceSighting } from './invoice.ts';

const sighting: fc.Arbitrary<InvoiceSighting> = fc.record({
  status: fc.constantFrom(...INVOICE_STATUSES),
  amountPaid: fc.nat(3),
  moment: fc.record({
    at: fc.nat(3).map(seconds => new Date(seconds * 1_000)),
    rank: fc.nat(5),
    eventId: fc.uuid(),
  }),
});
const fold = (sightings: readonly InvoiceSighting[]) =>
  sightings.reduce((known, next) => (supersedes(next, known) ? next : known));

it('ends the same in every order of its events', () => {
  const orders = fc
    .array(sighting, { minLength: 1, maxLength: 8 })
    .chain(all => fc.tuple(fc.constant(all), fc.shuffledSubarray([...all, ...all], { minLength: all.length * 2 })));
  fc.assert(
    fc.property(orders, ([all, shuffled]) => {
      expect(fold(shuffled)).toEqual(fold(all));
    }),
  );
});

it('stays paid or void whatever older events say', () => {
  const paid = { status: 'paid', amountPaid: 1, moment: { at: new Date(9_000), rank: 5, eventId: 'a' } } as const;
  const open = { status: 'open', amountPaid: 0, moment: { at: new Date(8_000), rank: 2, eventId: 'b' } } as const;
  expect(supersedes(open, paid)).toBe(false);
  expect(supersedes(paid, open)).toBe(true);
});

it('takes the newer event, however far the older one says it was', () => {
  const moment = (seconds: number, rank: number) => ({ at: new Date(seconds * 1_000), rank, eventId: 'a' });
  const older = { status: 'uncollectible', amountPaid: 1, moment: moment(8, 3) } as const;
  const newer = { status: 'open', amountPaid: 0, moment: moment(9, 1) } as const;
  expect(supersedes(newer, older)).toBe(true);
  expect(supersedes(older, newer)).toBe(false);
});

it('stays paid even if something newer says it is open', () => {
  const paid = { status: 'paid', amountPaid: 1, moment: { at: new Date(8_000), rank: 5, eventId: 'a' } } as const;
  const open = { status: 'open', amountPaid: 0, moment: { at: new Date(9_000), rank: 2, eventId: 'b' } } as const;
  expect(supersedes(open, paid)).toBe(false);
});

it('is not replaced by itself', () => {
  fc.assert(
    fc.property(sighting, known => {
      expect(supersedes(known, known)).toBe(false);
    }),
  );
});
