import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { cursorText } from './cursor.ts';

const cursors = fc.record({
  list: fc.string({ unit: 'grapheme-ascii', maxLength: 16 }),
  at: fc.option(
    fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31') }).map(at => at.toISOString()),
  ),
  ids: fc.array(
    fc.string({ unit: 'binary', maxLength: 255 }).filter(id => !id.includes('\u0000') && id.isWellFormed()),
    {
      minLength: 1,
      maxLength: 2,
    },
  ),
  offset: fc.nat(),
});

describe('a cursor', () => {
  it('is text for a URL that leads back to its place', () => {
    fc.assert(
      fc.property(cursors, cursor => {
        const text = z.encode(cursorText, cursor);
        expect(text).toMatch(/^[\w-]+$/);
        expect(z.decode(cursorText, text)).toEqual(cursor);
      }),
      { numRuns: 250 },
    );
  });

  it('is refused in one sentence if it is none, whatever it is', () => {
    const forged = fc.json().map(json => btoa(json.replaceAll(/[^\u0020-\u007e]/g, '?')));
    fc.assert(
      fc.property(fc.oneof(fc.string(), forged), text => {
        const { success, error } = cursorText.safeParse(text);
        expect(success).toBe(false);
        expect(error?.issues).toHaveLength(1);
      }),
      { numRuns: 250 },
    );
  });

  it.each(['0000-01-01T00:00:00Z', `2026-01-01T00:00:00.${'1'.repeat(300)}Z`, '2026-02-30T00:00:00Z'])(
    'is refused with %s, which PostgreSQL does not read',
    at => {
      const text = Buffer.from(JSON.stringify({ list: 'a', at, ids: ['a'], offset: 0 })).toString('base64url');
      expect(cursorText.safeParse(text).success).toBe(false);
    },
  );
});
