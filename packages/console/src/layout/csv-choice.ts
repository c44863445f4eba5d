import type { CsvFormat } from '#ui/csv.ts';
import { READER_LOCALE } from '#ui/reader-locale.ts';

const KEY = 'csv-format';

interface CsvChoice extends CsvFormat {
  /** How the reader chooses it. */
  readonly name: string;
  readonly extension: 'csv' | 'tsv';
}

/** The formats of exports. */
export const CSV_CHOICES = {
  comma: { name: 'Commas, 1234.56', separator: ',', decimalMark: '.', extension: 'csv' },
  semicolon: { name: 'Semicolons, 1234,56', separator: ';', decimalMark: ',', extension: 'csv' },
  tab: { name: 'Tabs, 1234.56', separator: '\t', decimalMark: '.', extension: 'tsv' },
  'tab-comma': { name: 'Tabs, 1234,56', separator: '\t', decimalMark: ',', extension: 'tsv' },
} as const satisfies Readonly<Record<string, CsvChoice>>;
export type CsvChoiceName = keyof typeof CSV_CHOICES;

export const isCsvChoice = (name: string | null): name is CsvChoiceName =>
  name !== null && Object.hasOwn(CSV_CHOICES, name);

/** The reader's choice; before there is one, what spreadsheets of their place split and read. */
export function chosenCsv(locale = READER_LOCALE): CsvChoiceName {
  const stored = localStorage.getItem(KEY);
  return isCsvChoice(stored) ? stored : usualCsv(locale);
}

export const chooseCsv = (name: CsvChoiceName): void => localStorage.setItem(KEY, name);

/** A comma that separates decimals can't separate values. */
export function usualCsv(locale: string): CsvChoiceName {
  const mark = new Intl.NumberFormat(locale).formatToParts(1.5).find(({ type }) => type === 'decimal');
  return mark?.value === '.' ? 'comma' : 'semicolon';
}
