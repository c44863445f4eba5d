import { csvLine, type CsvValue } from '#ui/csv.ts';

/** A column of an export. */
export interface CsvColumn<Item> {
  readonly title: string;
  /** The value, which may be loaded; those of a hundred rows are requested at once. */
  readonly csv: (item: Item) => CsvValue | Promise<CsvValue>;
}

/** As many as one request for customers or other records by their ids takes. */
const ROWS_AT_ONCE = 100;

/** Returns the lines of a CSV file with all items of a list, which is read once from its beginning to its end. */
export async function csvLines<Item>(
  items: AsyncIterable<Item>,
  columns: readonly CsvColumn<Item>[],
): Promise<readonly string[]> {
  const lines = [csvLine(columns.map(({ title }) => title))];
  const toLine = async (item: Item) => csvLine(await Promise.all(columns.map(async ({ csv }) => csv(item))));
  let rows: Item[] = [];
  const flush = async () => {
    lines.push(...(await Promise.all(rows.map(toLine))));
    rows = [];
  };
  for await (const item of items) {
    rows.push(item);
    if (rows.length === ROWS_AT_ONCE) await flush();
  }
  await flush();
  return lines;
}
