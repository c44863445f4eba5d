import { expect, it } from 'vitest';
import { decideOnEvent, later } from './event-order.ts';

const at = (second: number) => new Date(second * 1_000);
const record = { processorUpdatedAt: at(100), awaitsWebhook: false, deletedAt: null };
const awaiting = { ...record, awaitsWebhook: true };

it.each([
  ['applies a newer event', record, 101, false, 'apply'],
  ['ignores an older event', record, 99, false, 'ignore'],
  ['rereads when two events of one second differ', record, 100, false, 'reread'],
  ['confirms what it has', record, 100, true, 'confirm'],
  ['ignores an older event with the same content', record, 99, true, 'ignore'],
  ['applies the first event', { ...record, processorUpdatedAt: null }, 1, false, 'apply'],
  ['rereads when an event contradicts our own change', awaiting, 101, false, 'reread'],
  ['confirms our own change by the event about it', awaiting, 101, true, 'confirm'],
  ['ignores every event of a deleted record', { ...record, deletedAt: at(1) }, 999, false, 'ignore'],
] as const)('%s', (_title, current, second, isSame, expected) => {
  expect(decideOnEvent(current, at(second), isSame)).toBe(expected);
});

it('returns the later of two times', () => {
  expect(later(null, at(1))).toEqual(at(1));
  expect(later(at(2), at(1))).toEqual(at(2));
  expect(later(at(1), at(2))).toEqual(at(2));
});
