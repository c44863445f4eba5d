import fc from 'fast-check';
import { expect, it } from 'vitest';
import { csvLine, type CsvFormat } from './csv.ts';

const COMMA: CsvFormat = { separator: ',', decimalMark: '.' };
const SEMICOLON: CsvFormat = { separator: ';', decimalMark: ',' };
const TAB: CsvFormat = { separator: '\t', decimalMark: ',' };
const FORMATS = [COMMA, SEMICOLON, TAB];

it('quotes what would break a line, wherever it is split', () => {
  const values = ['a,b', 'c;d', 'e\tf', 'say "hi"', 'two\nlines', 5, null, true];
  expect(csvLine(values, COMMA)).toBe('"a,b","c;d","e\tf","say ""hi""","two\nlines",5,,true\r\n');
  expect(csvLine(['a,b', 'c;d', 5], SEMICOLON)).toBe('"a,b";"c;d";5\r\n');
  expect(csvLine(['a', 'e\tf', 5], TAB)).toBe('a\t"e\tf"\t5\r\n');
});

it('writes decimals as the place of the reader does', () => {
  const amounts = ['1234.56', '-0.50'].map(amount => ({ decimals: [amount] }));
  const values = [...amounts, 1.5, { decimals: [] }, { decimals: ['1.00', '2.50'] }];
  expect(csvLine(values, COMMA)).toBe('1234.56,-0.50,1.5,,"1.00; 2.50"\r\n');
  expect(csvLine(values, SEMICOLON)).toBe('"1234,56";"-0,50";"1,5";;"1,00; 2,50"\r\n');
  expect(csvLine(values, TAB)).toBe('"1234,56"\t"-0,50"\t"1,5"\t\t"1,00; 2,50"\r\n');
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
  '-5.00',
])('marks %j as text', text => {
  for (const format of FORMATS) expect(csvLine([text], format)).toContain(`'${text}`);
});

it('marks what another separator would make a cell', () => {
  expect(csvLine(['x;=1+1'], COMMA)).toBe(`"x;'=1+1"\r\n`);
  expect(csvLine(['x,"=1+1'], SEMICOLON)).toBe(`"x,'""=1+1"\r\n`);
  expect(csvLine(['x;-1'], SEMICOLON)).toBe('"x;-1"\r\n');
});

it.each([
  '007',
  '00123',
  '1234567890123456',
  '12345678901234567890',
  '1e5',
  '12E10',
  '1.20',
  '1,50',
  '1-2',
  '3/4',
  '2024-001',
  '10:30',
  '50%',
  '(5)',
  '€ 5',
  '0005',
  'MAY25',
  'Dec 2',
  '3 march 2026',
])('keeps %j as it is, by a mark', text => {
  for (const format of FORMATS) expect(csvLine([text], format).replaceAll('"', '')).toBe(`'${text}\r\n`);
});

it.each([
  '42',
  '0',
  '123456789012345',
  'pc_007',
  '2026-03-02T09:30:00.000Z',
  'A1B2-0001',
  'SAVE20',
  'May',
  'Mark 4',
  '94107',
  'grace@example.com',
  'a - b',
])('needs no mark for %j', text => {
  for (const format of FORMATS) expect(csvLine([text], format)).toBe(`${text}\r\n`);
});

it('has no formula, whatever a text contains and at whatever a spreadsheet splits', () => {
  const piece = fc.constantFrom(
    '=',
    '+1',
    '-',
    '@',
    ',',
    ';',
    '\t',
    '\n',
    '\r',
    '"',
    "'",
    ' ',
    '\u200b',
    '＝',
    'x',
    '1',
  );
  const text = fc.array(piece, { maxLength: 8 }).map(pieces => pieces.join(''));
  const texts = fc.array(text, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(texts, fc.constantFrom(...FORMATS), (values, format) => {
      const line = csvLine(values, format);
      for (const { separator } of FORMATS)
        for (const cell of cellsOf(line, separator)) expect(cell).not.toMatch(/^[\s\p{Cc}\p{Cf}"]*[=+\-@＝＋－＠]/u);
      const withoutMarks = (cells: readonly string[]) => cells.map(cell => cell.replaceAll("'", ''));
      expect(withoutMarks(cellsOf(line, format.separator))).toEqual(withoutMarks(values));
    }),
  );
});

/** Splits a line as spreadsheets do: a quote matters where a cell begins, and what follows the one that ends it is kept. */
function cellsOf(line: string, separator: string): string[] {
  const cells: string[] = [];
  let rest = line.slice(0, -2);
  for (;;) {
    const [whole = '', quoted = ''] = /^"((?:[^"]|"")*)(?:"|$)/.exec(rest) ?? [];
    const after = rest.slice(whole.length);
    const end = Array.from(after).findIndex(character => `${separator}\r\n`.includes(character));
    cells.push(quoted.replaceAll('""', '"') + (end === -1 ? after : after.slice(0, end)));
    if (end === -1) return cells;
    rest = after.slice(end + 1);
  }
}
