import { expect, it } from 'vitest';
import { judge, later } from './event-order.ts';

const at = (second: number) => new Date(second * 1_000);
const record = { processorUpdatedAt: at(100), awaitsEcho: false, deletedAt: null };

it.each([
  ['applies what is newer', record, 101, false, 'apply'],
  ['ignores what is older', record, 99, false, 'ignore'],
  ['looks again when two events of one second differ', record, 100, false, 'look-again'],
  ['confirms what it has', record, 100, true, 'confirm'],
  ['ignores what is older, though it tells what it has', record, 99, true, 'ignore'],
  ['applies the first event', { ...record, processorUpdatedAt: null }, 1, false, 'apply'],
  [
    'looks again when an event contradicts a change of its own',
    { ...record, awaitsEcho: true },
    101,
    false,
    'look-again',
  ],
  ['takes an event that tells of its own change for the echo', { ...record, awaitsEcho: true }, 101, true, 'confirm'],
  ['ignores whatever is told of a deleted record', { ...record, deletedAt: at(1) }, 999, false, 'ignore'],
])('%s', (_what, held, second, isSame, expected) => {
  expect(judge(held, at(second), isSame)).toBe(expected);
});

it('finds the later of two moments', () => {
  expect(later(null, at(1))).toEqual(at(1));
  expect(later(at(2), at(1))).toEqual(at(2));
  expect(later(at(1), at(2))).toEqual(at(2));
});
