import { expect, it } from 'vitest';
import { csvLine } from './csv.ts';

it('quotes what would break a line', () => {
  expect(csvLine(['a,b', 'say "hi"', 'two\nlines', 5, null, true])).toBe('"a,b","say ""hi""","two\nlines",5,,true\r\n');
});

it.each([
  '=1+1',
  '+1',
  '-1+1',
  '@x',
  '\tx',
  '\rx',
  '\nx',
  ' =1',
  '\u00a0=1',
  '\u200b@x',
  '\ufeff+1',
  '＝1',
  '＋1',
  '－1',
  ' ＠x',
])('marks %j as text', text => {
  expect(csvLine([text])).toContain(`'${text}`);
});

it('leaves negative numbers as they are', () => {
  expect(csvLine([-5, '-5.00'])).toBe('-5,-5.00\r\n');
});
