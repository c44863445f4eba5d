import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { lowestEventId, newEventId, publicationId } from './event-id.ts';

const publication = fc.record({
  teamId: fc.string(),
  eventId: fc.string(),
  projectId: fc.string(),
  replays: fc.nat({ max: 9 }),
  createdAt: fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }),
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

it('begins ids with the time of their event', () => {
  fc.assert(
    fc.property(publication, one => {
      const { createdAt } = one;
      expect(publicationId(one) >= lowestEventId(createdAt)).toBe(true);
      expect(publicationId(one) < lowestEventId(new Date(createdAt.getTime() + 1))).toBe(true);
    }),
  );
  const now = Date.now();
  expect(newEventId() >= lowestEventId(new Date(now - 1_000))).toBe(true);
  expect(newEventId() < lowestEventId(new Date(now + 60_000))).toBe(true);
});
