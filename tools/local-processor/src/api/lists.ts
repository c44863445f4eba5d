import type { Stripe } from 'stripe';
import { noSuch } from './errors.ts';

export interface Page {
  limit: number;
  starting_after?: string | undefined;
  ending_before?: string | undefined;
}

export interface Range {
  gt?: number | undefined;
  gte?: number | undefined;
  lt?: number | undefined;
  lte?: number | undefined;
}

/** A whole table, of which a page reads no more than it shows and passes over. */
interface Ordered<Row> {
  get(id: string): Row | undefined;
  newestFirst(): readonly Row[];
  olderThan(id?: string): Iterable<Row>;
}

/**
 * Returns one page of rows, which are sorted newest first. `starting_after` selects older rows than the cursor,
 * `ending_before` the nearest newer ones. The page contains only rows that match `isWanted`, but any row may be the
 * cursor. (Stripe: https://docs.stripe.com/api/pagination)
 * @throws ApiError 400 when the cursor does not exist
 */
export function listPage<Row extends { id: string }>(
  source: readonly Row[] | Ordered<Row>,
  page: Page,
  url: string,
  kind: string,
  isWanted: (row: Row) => boolean = () => true,
): Stripe.ApiList<Row> {
  const { limit, starting_after: after, ending_before: before } = page;
  if (!isArray(source) && before === undefined) return pageOfTable(source, page, url, kind, isWanted);
  const rows = isArray(source) ? source : source.newestFirst();
  if (before !== undefined) {
    const newer = rows.slice(0, cursor(rows, before, kind, 'ending_before')).filter(isWanted);
    return { object: 'list', data: newer.slice(-limit), has_more: newer.length > limit, url };
  }
  const start = after === undefined ? 0 : cursor(rows, after, kind, 'starting_after') + 1;
  const older = rows.slice(start).filter(isWanted);
  return { object: 'list', data: older.slice(0, limit), has_more: older.length > limit, url };
}

function pageOfTable<Row extends { id: string }>(
  table: Ordered<Row>,
  { limit, starting_after: after }: Page,
  url: string,
  kind: string,
  isWanted: (row: Row) => boolean,
): Stripe.ApiList<Row> {
  if (after !== undefined && !table.get(after)) throw noSuch(kind, after, 'starting_after');
  const data: Row[] = [];
  for (const row of table.olderThan(after)) {
    if (!isWanted(row)) continue;
    if (data.length === limit) return { object: 'list', data, has_more: true, url };
    data.push(row);
  }
  return { object: 'list', data, has_more: false, url };
}

/** `Array.isArray` takes no readonly arrays. */
const isArray = <Row>(source: readonly Row[] | Ordered<Row>): source is readonly Row[] => Array.isArray(source);

/** Returns a filter for rows that were created within the range. */
export function createdWithin(range: Range | undefined) {
  return ({ created }: { created: number }): boolean =>
    range === undefined ||
    ((range.gt === undefined || created > range.gt) &&
      (range.gte === undefined || created >= range.gte) &&
      (range.lt === undefined || created < range.lt) &&
      (range.lte === undefined || created <= range.lte));
}

function cursor(rows: readonly { id: string }[], id: string, kind: string, param: string): number {
  const index = rows.findIndex(row => row.id === id);
  if (index < 0) throw noSuch(kind, id, param);
  return index;
}
