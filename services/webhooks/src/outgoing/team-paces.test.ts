import { TeamId } from '@billing/contracts/ids';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openTeamPaces } from './team-paces.ts';

const [team, other] = [TeamId.create(), TeamId.create()];

it('lets a team below its pace begin each delivery at once', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000 }), fc.array(fc.nat(5_000), { maxLength: 300 }), (perSecond, waits) => {
      let now = 0;
      const mayBegin = openTeamPaces(perSecond, () => now);
      for (const ms of waits) {
        now += ms + 1_000 / perSecond;
        expect(mayBegin(team)).toBe(true);
      }
    }),
    { numRuns: runs(100) },
  );
});

it('lets a team begin its pace, and at most ten seconds of it at once, whatever others do', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.array(fc.record({ ms: fc.nat(400), ofOther: fc.nat(40) }), { maxLength: 200 }),
      (perSecond, steps) => {
        let [now, begun] = [0, 0];
        const mayBegin = openTeamPaces(perSecond, () => now);
        for (const { ms, ofOther } of [{ ms: 0, ofOther: 0 }, ...steps]) {
          now += ms;
          for (let index = 0; index < ofOther; index += 1) mayBegin(other);
          while (mayBegin(team)) begun += 1;
          const most = perSecond * (10 + now / 1_000);
          expect(begun).toBeLessThanOrEqual(most + 1e-6);
          expect(begun).toBeGreaterThan(most - 1 - 1e-6);
        }
      },
    ),
    { numRuns: runs(100) },
  );
});
