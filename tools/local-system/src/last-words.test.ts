import { expect, it } from 'vitest';
import { lastWords } from './last-words.ts';

const error = '{"level":50,"msg":"request failed"}';
const log = [
  '{"level":30,"msg":"request answered"}',
  error,
  '',
  'Error: out of memory',
  '    at main.ts:1',
  'null',
  '7',
];

it('shows warnings, errors and what is no log record', () => {
  expect(lastWords(log.join('\n'), 9)).toEqual([error, 'Error: out of memory', '    at main.ts:1', 'null', '7']);
});

it('shows the newest lines only', () => {
  expect(lastWords(log.join('\n'), 2)).toEqual(['null', '7']);
  expect(lastWords('', 2)).toEqual([]);
});
