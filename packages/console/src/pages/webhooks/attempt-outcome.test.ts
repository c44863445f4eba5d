import { expect, it } from 'vitest';
import { attemptOutcome } from './attempt-outcome.ts';

it.each([
  [204, null, 'HTTP 204', 'good'],
  [302, null, 'HTTP 302', 'bad'],
  [500, null, 'HTTP 500', 'bad'],
  [null, 'timeout', 'No response within 15 seconds', 'bad'],
  [null, 'something_new', 'something_new', 'bad'],
  [null, null, 'No response', 'bad'],
])('says of status %s and error %s: %s', (responseStatus, error, name, tone) => {
  expect(attemptOutcome({ responseStatus, error })).toEqual({ name, tone });
});
