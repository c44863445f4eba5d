import type { List } from '@billing/client';
import { csvLine, type CsvFormat, type CsvValue } from '#ui/csv.ts';

/** A column of an export. */
export interface CsvColumn<Item> {
  readonly title: string;
  /** The value, which may be loaded; those of a page's rows are requested at once. */
  readonly csv: (item: Item) => CsvValue | Promise<CsvValue>;
}

/** Returns the lines of a CSV file with all items of a list, which is read once from its beginning to its end. */
export async function csvLines<Item>(
  list: Pick<List<Item>, 'pages'>,
  columns: readonly CsvColumn<Item>[],
  format: CsvFormat,
): Promise<readonly string[]> {
  const lines = [
    csvLine(
      columns.map(({ title }) => title),
      format,
    ),
  ];
  const toLine = async (item: Item) => csvLine(await Promise.all(columns.map(async ({ csv }) => csv(item))), format);
  for await (const { items } of list.pages()) lines.push(...(await Promise.all(items.map(toLine))));
  return lines;
}
