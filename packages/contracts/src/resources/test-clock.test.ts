import { expect, it } from 'vitest';
import { testClockAdvance } from './test-clock.ts';

it.each([{}, { until: 'tomorrow' }, { to: '2030-01-31T12:00:00Z', until: 'trial_end' }])(
  'says how far a clock can advance when %j is given',
  given => {
    expect(testClockAdvance.safeParse(given).error?.issues.map(({ message }) => message)).toEqual([
      'Expected either `to`, a time, or `until`, one of next_invoice, trial_end, period_end.',
    ]);
  },
);
