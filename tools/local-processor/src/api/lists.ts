import type { Stripe } from 'stripe';
import { noSuch } from './errors.ts';

export interface Page {
  limit: number;
  starting_after?: string | undefined;
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
  olderThan(id?: string): Iterable<Row>;
}

/**
 * Returns one page of rows, which are sorted newest first. `starting_after` selects older rows than the cursor. The page
 * contains only rows that match `isWanted`, but any row may be the cursor. (Stripe: https://docs.stripe.com/api/pagination)
 * @throws ApiError 400 when the cursor does not exist
 */
export function listPage<Row extends { id: string }>(
  source: readonly Row[] | Ordered<Row>,
  { limit, starting_after: after }: Page,
  url: string,
  kind: string,
  isWanted: (row: Row) => boolean = () => true,
): Stripe.ApiList<Row> {
  const at = isArray(source) ? source.findIndex(({ id }) => id === after) : 0;
  const isThere = isArray(source) ? at >= 0 : source.get(after ?? '') !== undefined;
  if (after !== undefined && !isThere) throw noSuch(kind, after, 'starting_after');
  const data: Row[] = [];
  for (const row of isArray(source) ? source.slice(at + 1) : source.olderThan(after)) {
    if (!isWanted(row)) continue;
    if (data.length === limit) return { object: 'list', data, has_more: true, url };
    data.push(row);
  }
  return { object: 'list', data, has_more: false, url };
}

/** `Array.isArray` takes no readonly arrays. */
const isArray = <Row>(source: readonly Row[] | Ordered<Row>): source is readonly Row[] => Array.isArray(source);

/** Returns a filter for rows that were created, or for invoice items dated, within the range. */
export function createdWithin(range: Range = {}): (row: object) => boolean {
  const { gt = -Infinity, gte = -Infinity, lt = Infinity, lte = Infinity } = range;
  return row => {
    const { created, date } = row as { created?: number; date?: number }; // Every object has one of the two.
    const time = created ?? date ?? 0;
    return time > gt && time >= gte && time < lt && time <= lte;
  };
}
