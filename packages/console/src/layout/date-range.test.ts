import { expect, it } from 'vitest';
import { createdWithin } from './date-range.tsx';

it('reaches from the start of the first day to the end of the last, in the zone of the reader', () => {
  expect(createdWithin('2026-03-02', '2026-03-02')).toEqual({
    createdAfter: new Date(2026, 2, 2).toISOString(),
    createdBefore: new Date(2026, 2, 3).toISOString(),
  });
});

it.each(['', 'today', '2026-13-01', '0000-01-01', '2026-3-2'])('takes %j for no day', day => {
  expect(createdWithin(day, '2026-12-31')).toEqual({ createdBefore: new Date(2027, 0, 1).toISOString() });
});
