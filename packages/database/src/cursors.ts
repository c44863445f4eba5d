import { createHash } from 'node:crypto';
import type { ListOrder, Page } from '@billing/contracts/pagination';
import { invalid } from '@billing/contracts/problem';

/** The time and the id of the item that a page follows. */
interface Place {
  readonly at: string;
  readonly id: string;
}

/** Whose list it is, as far as it is a team's or a project's. */
interface Scope {
  readonly teamId?: unknown;
  readonly projectId?: unknown;
}

/**
 * Returns what marks the cursors of a list in one order.
 * @throws Problem 400 when the page has the cursor of another list or order, or of another tenant's
 */
export function markList(
  { cursor, order = 'newest' }: Page,
  name: string,
  { teamId = null, projectId = null }: Scope,
): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([name, teamId, projectId, order]))
    .digest('base64url');
  const mark = digest.slice(0, 12);
  if (cursor && cursor.list !== mark) throw otherList();
  return mark;
}

/**
 * Returns what a page follows in a list in the order of a time and an id; null for the first page.
 * @throws Problem 400 for the cursor of another list
 */
export function placeBefore({ cursor }: Page): Place | null {
  if (!cursor) return null;
  const [id, ...others] = cursor.ids;
  if (cursor.at === null || id === undefined || others.length > 0) throw otherList();
  return { at: cursor.at, id };
}

/** The error for the cursor of another list. */
export const otherList = () =>
  invalid([{ path: 'cursor', message: 'Expected the `nextCursor` of a page of this list.' }]);

/** SQL that selects what follows a place, by time and then by id; an index by time finds the first row. */
export function follows(time: string, id: string, at: string, key: string, order: ListOrder = 'newest'): string {
  const after = order === 'newest' ? '<' : '>';
  return `(${time} ${after}= ${at}::timestamptz and (${time} ${after} ${at}::timestamptz or ${id} > ${key}))`;
}

/** SQL for a time as the text of a cursor, in PostgreSQL's precision. */
export const timeText = (time: string): string =>
  `to_char(${time} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
