import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { cursorText } from './cursor.ts';

const cursors = fc.record({
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
});
