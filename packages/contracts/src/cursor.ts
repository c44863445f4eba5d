import { z } from 'zod';
import { isStorable } from './text.ts';

const cursor = z.strictObject({
  /** Marks the list, and whose it is. */
  list: z.string().max(16),
  /** The time of the page's last item, as PostgreSQL reads it; null in a list that is not in the order of a time. */
  at: z.iso
    .datetime()
    .max('2026-01-01T00:00:00.000000Z'.length)
    .refine(time => !time.startsWith('0000'))
    .nullable(),
  /** What tells it apart from others of that time, in the order of the list. */
  ids: z.array(z.string().max(255).refine(isStorable)).min(1).max(2),
  /** How many items are before the next page, as far as its reader has seen. */
  offset: z.int().min(0),
});

/** Where a page of a list ended. */
export type Cursor = z.output<typeof cursor>;

/** A cursor as callers see it: opaque text, safe in a URL. */
export const cursorText = z.codec(z.string().min(1).max(8_000), cursor, {
  decode(text, context) {
    const known = cursor.safeParse(parse(text));
    if (known.success) return known.data;
    context.issues.push({
      code: 'custom',
      message: 'Expected the `nextCursor` of a page of this list.',
      input: text,
    });
    return z.NEVER;
  },
  encode: ({ list, at, ids, offset }) => toBase64Url(JSON.stringify({ list, at, ids, offset })),
});

function parse(text: string): unknown {
  try {
    return JSON.parse(atob(text.replaceAll('-', '+').replaceAll('_', '/')));
  } catch {
    return undefined;
  }
}

/** Encodes JSON; what is not ASCII is escaped, since `btoa` takes bytes. */
function toBase64Url(json: string): string {
  const ascii = json.replaceAll(
    /[^\u0020-\u007e]/g,
    it => String.raw`\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return btoa(ascii).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
