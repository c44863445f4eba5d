import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { publicationId } from './publication-id.ts';

const publication = fc.record({
  teamId: fc.string(),
  eventId: fc.string(),
  projectId: fc.string(),
  replays: fc.nat({ max: 9 }),
});

it('gives every publication a UUID of its own that stays the same', () => {
  fc.assert(
    fc.property(publication, publication, (one, other) => {
      const id = publicationId(one);
      expect(z.uuid().parse(id)).toBe(publicationId({ ...one }));
      expect(id === publicationId(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
    }),
  );
});
