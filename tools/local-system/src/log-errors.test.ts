import { expect, it } from 'vitest';
import { lastErrors } from './log-errors.ts';

const error = '{"level":50,"msg":"request failed"}';
const log = [
  '{"level":30,"msg":"request completed"}',
  error,
  '',
  'Error: out of memory',
  '    at main.ts:1',
  'null',
  '7',
];

it('returns warnings, errors and lines that are no log records', () => {
  expect(lastErrors(log.join('\n'), 9)).toEqual([error, 'Error: out of memory', '    at main.ts:1', 'null', '7']);
});

it('returns only the newest lines', () => {
  expect(lastErrors(log.join('\n'), 2)).toEqual(['null', '7']);
  expect(lastErrors('', 2)).toEqual([]);
});
