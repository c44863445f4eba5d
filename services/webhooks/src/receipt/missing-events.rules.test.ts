import { expect, it } from 'vitest';
import { isRecent, scansFor } from './missing-events.rules.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const before = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000);
const DAY = 24 * 60;

it('scans undelivered events 30 days back once, and then only since the last scan', () => {
  const first = scansFor({ scannedUntil: before(60), hasBackfilled: false, restoredAt: null }, NOW);
  expect(first).toMatchObject([
    { undeliveredOnly: true, createdFrom: before(30 * DAY) },
    { undeliveredOnly: false, createdFrom: before(70) },
  ]);
  const next = scansFor({ scannedUntil: before(5), hasBackfilled: true, restoredAt: null }, NOW);
  expect(next.map(({ createdFrom }) => createdFrom)).toEqual([before(15), before(15)]);
});

it('never scans further back than 30 days', () => {
  const scans = scansFor({ scannedUntil: before(90 * DAY), hasBackfilled: true, restoredAt: null }, NOW);
  expect(scans.map(({ createdFrom }) => createdFrom)).toEqual([before(30 * DAY), before(30 * DAY)]);
});

it('expects among all events those types without which a record would stay wrong', () => {
  const [undelivered, all] = scansFor({ scannedUntil: NOW, hasBackfilled: true, restoredAt: null }, NOW);
  const wantedBy = (type: string) => [undelivered?.isWanted(type), all?.isWanted(type)];
  expect(wantedBy('invoice.paid')).toEqual([true, true]);
  expect(wantedBy('invoice.voided')).toEqual([true, true]);
  expect(wantedBy('customer.subscription.paused')).toEqual([true, false]);
  expect(wantedBy('payment_method.attached')).toEqual([false, false]);
});

it('looks for every handled type that came between a backup and its restore', () => {
  const wanted = (scannedUntil: Date) => {
    const [, all] = scansFor({ scannedUntil, hasBackfilled: true, restoredAt: before(30) }, NOW);
    return ['charge.updated', 'invoice.paid', 'payment_method.attached'].map(type => all?.isWanted(type));
  };
  expect(wanted(before(60))).toEqual([true, true, false]);
  expect(wanted(before(5))).toEqual([false, true, false]);
});

it('leaves events near to now to their webhooks, but not those of a clock far ahead', () => {
  const within = (minutes: number) => isRecent(before(minutes), NOW, 60_000);
  expect([0, 0.5, 1, 5, -5].map(within)).toEqual([true, true, false, false, false]);
});
