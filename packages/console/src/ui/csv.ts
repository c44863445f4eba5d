/** What a cell may contain; times are ISO 8601. */
export type CsvValue = string | number | boolean | null | undefined;

/** What a spreadsheet may run: signs of a formula, also full-width ones and after what shows nothing, and what breaks out of a cell. */
const RUNS = /^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]|^[\t\r\n]/u;
const NEGATIVE = /^-\d+(?:\.\d+)?$/;

/** Returns a line of a CSV file. Text that a spreadsheet would run as a formula is marked as text. */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvCell).join(',')}\r\n`;
}

function csvCell(value: CsvValue): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' && RUNS.test(value) && !NEGATIVE.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Has the browser save lines as a file. */
export function saveCsv(name: string, lines: readonly string[]): void {
  const url = URL.createObjectURL(new Blob(['\u{FEFF}', ...lines], { type: 'text/csv;charset=utf-8' }));
  const link = Object.assign(document.createElement('a'), { href: url, download: `${name}.csv` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
