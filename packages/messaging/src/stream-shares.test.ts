import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openStreamShares } from './stream-shares.ts';

const PART = 1_000;
const message = fc.record({ teamId: fc.constantFrom('a', 'b'), bytes: fc.integer({ min: 1, max: 400 }) });

it('S76: counts what a team has in the stream, and at most one part of it too much', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 100 }), fc.nat(100), (messages, first) => {
      const shares = openStreamShares();
      messages.forEach(({ teamId, bytes }, place) => shares.add({ teamId, bytes, place }, PART));
      shares.forgetBefore(first);
      for (const teamId of ['a', 'b']) {
        const left = messages.filter((one, place) => one.teamId === teamId && place >= first);
        const bytes = left.reduce((sum, one) => sum + one.bytes, 0);
        expect(shares.bytesOf(teamId)).toBeGreaterThanOrEqual(bytes);
        expect(shares.bytesOf(teamId)).toBeLessThan(bytes + PART + 400);
      }
    }),
  );
});
