/** How a file separates its values and writes decimals: a spreadsheet splits and reads as is usual in its reader's place. */
export interface CsvFormat {
  readonly separator: ',' | ';' | '\t';
  readonly decimalMark: '.' | ',';
}

/** Decimal numbers, as `decimalText` writes them; one is a number in a spreadsheet, more stand in one cell as text. */
interface Decimals {
  readonly decimals: readonly string[];
}

/** What a cell may contain; times are ISO 8601. A string is text, and stays so. */
export type CsvValue = string | number | boolean | Decimals | null | undefined;

/** Returns a line of a CSV file. Text that a spreadsheet would run as a formula, or change, is marked as text. */
export const csvLine = (values: readonly CsvValue[], format: CsvFormat): string =>
  `${values.map(value => quoted(cellOf(value, format))).join(format.separator)}\r\n`;

function cellOf(value: CsvValue, format: CsvFormat): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return inertText(value, format);
  if (typeof value === 'boolean') return String(value);
  const numbers = typeof value === 'number' ? [String(value)] : value.decimals;
  return numbers.map(number => number.replace('.', format.decimalMark)).join('; ');
}

const quoted = (cell: string): string => (/[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/**
 * Where a cell begins that a spreadsheet would run: before signs of a formula, also full-width ones and after what shows
 * nothing. One that splits at other separators than the file's begins cells within a text, quotes or not.
 */
const FORMULA = {
  ',': /(?<=^|[;\t\r\n])(?=[\s\p{Cc}\p{Cf}"]*[=+\-@＝＋－＠])|^(?=[\t\r\n])/gu,
  ';': /(?<=^|[,\t\r\n])(?=[\s\p{Cc}\p{Cf}"]*[=+\-@＝＋－＠])|^(?=[\t\r\n])/gu,
  '\t': /(?<=^|[,;\r\n])(?=[\s\p{Cc}\p{Cf}"]*[=+\-@＝＋－＠])|^(?=[\t\r\n])/gu,
} as const;

function inertText(text: string, { separator }: CsvFormat): string {
  const inert = text.replaceAll(FORMULA[separator], "'");
  return isChanged(text) && !inert.startsWith("'") ? `'${inert}` : inert;
}

/** Whole numbers that are shown as they are: a spreadsheet keeps 15 digits, and no zeros before them. */
const KEPT_NUMBER = /^(?:0|[1-9]\d{0,14})$/;
/** Numbers, amounts, shares, times and dates in digits, as some place writes them, and powers of ten. */
const NUMBER = /^(?=.*\d)[\d\s.,:/%'’()\p{Sc}-]+(?:e[+-]?\d+)?$/iu;
/** Days and months in English, such as `MAY25`, which a promotion code may be. */
const MONTH =
  /^(?:\d{1,4}[\s,./-]*)?(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)[\s,./-]*(?:\d{1,4}(?:[\s,./-]+\d{1,4})?)?$/i;

/** Returns whether a spreadsheet would read a text as something else, and show it in another way: an id, a postal code. */
const isChanged = (text: string): boolean =>
  !KEPT_NUMBER.test(text) && (NUMBER.test(text) || (/\d/.test(text) && MONTH.test(text)));

/** Has the browser save lines as a file. */
export function saveCsv(file: string, lines: readonly string[]): void {
  const url = URL.createObjectURL(new Blob(['\u{FEFF}', ...lines], { type: 'text/csv;charset=utf-8' }));
  const link = Object.assign(document.createElement('a'), { href: url, download: file });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
