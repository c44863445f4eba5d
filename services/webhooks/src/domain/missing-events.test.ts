import { expect, it } from 'vitest';
import { isUnderWay, searchesFor } from './missing-events.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const before = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000);
const DAY = 24 * 60;

it('looks back 30 days once for what went undelivered, and from then on only since the last time', () => {
  const first = searchesFor({ healedUntil: before(60), lookedBack: false }, NOW);
  expect(first).toMatchObject([
    { undeliveredOnly: true, createdFrom: before(30 * DAY) },
    { undeliveredOnly: false, createdFrom: before(70) },
  ]);
  const next = searchesFor({ healedUntil: before(5), lookedBack: true }, NOW);
  expect(next.map(({ createdFrom }) => createdFrom)).toEqual([before(15), before(15)]);
});

it('never looks back further than 30 days', () => {
  const searches = searchesFor({ healedUntil: before(90 * DAY), lookedBack: true }, NOW);
  expect(searches.map(({ createdFrom }) => createdFrom)).toEqual([before(30 * DAY), before(30 * DAY)]);
});

it('wants of what was delivered only the types that every endpoint asks for', () => {
  const [undelivered, all] = searchesFor({ healedUntil: NOW, lookedBack: true }, NOW);
  const wantedBy = (type: string) => [undelivered?.isWanted(type), all?.isWanted(type)];
  expect(wantedBy('invoice.paid')).toEqual([true, true]);
  expect(wantedBy('invoice.finalized')).toEqual([true, false]);
  expect(wantedBy('payment_method.attached')).toEqual([false, false]);
});

it('takes for under way what is near to now, and nothing of a clock that runs far ahead', () => {
  const within = (minutes: number) => isUnderWay(before(minutes), NOW, 60_000);
  expect([0, 0.5, 1, 5, -5].map(within)).toEqual([true, true, false, false, false]);
});
