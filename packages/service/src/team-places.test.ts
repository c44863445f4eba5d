import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openTeamPlaces } from './team-places.ts';

const LIMITS = { ofAll: 3, ofTeam: 2, maxWaiting: 100 };

it('serves teams in turns, and each within its places', async () => {
  const wanted = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), wanted, async (scheduler, teams) => {
      const places = openTeamPlaces(LIMITS);
      const begun: { readonly team: string; readonly index: number }[] = [];
      const running = new Map<string, number>();
      const change = (team: string, by: number) => running.set(team, (running.get(team) ?? 0) + by);
      const all = Promise.all(
        teams.map(async (team, index) => {
          const release = await places.take(team);
          begun.push({ team, index });
          change(team, 1);
          expect(running.get(team)).toBeLessThanOrEqual(LIMITS.ofTeam);
          expect([...running.values()].reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(LIMITS.ofAll);
          await scheduler.schedule(Promise.resolve());
          change(team, -1);
          release();
          release();
        }),
      );
      await scheduler.waitFor(all);
      expect(places.count()).toEqual({ taken: 0, waiting: 0 });
      expect(begun).toHaveLength(teams.length);
      for (const team of new Set(teams)) {
        const own = begun.filter(one => one.team === team);
        expect(own.map(({ index }) => index)).toEqual(own.map(({ index }) => index).toSorted((a, b) => a - b));
      }
    }),
    { numRuns: runs(300) },
  );
});

it('lets a team wait for one turn of each other team, however much those want', async () => {
  const counts = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(counts, fc.integer({ min: 1, max: 4 }), async (others, ofAll) => {
      const places = openTeamPlaces({ ofAll, ofTeam: 4, maxWaiting: 100 });
      const begun: string[] = [];
      const releases: (() => void)[] = [];
      const want = async (team: string) => {
        const release = await places.take(team);
        begun.push(team);
        releases.push(release);
      };
      const waiting = others.flatMap((count, index) => Array.from({ length: count }, () => want(`noisy ${index}`)));
      await settle();
      const before = begun.length;
      const quiet = want('quiet');
      for (;;) {
        await settle();
        if (begun.includes('quiet')) break;
        releases.shift()?.();
      }
      const meanwhile = begun.slice(before, begun.indexOf('quiet'));
      expect(new Set(meanwhile).size).toBe(meanwhile.length);
      for (;;) {
        await settle();
        const release = releases.shift();
        if (!release) break;
        release();
      }
      await Promise.all([...waiting, quiet]);
    }),
    { numRuns: runs(300) },
  );
});

it('refuses with 429 what is too much of one team, and nothing of others', async () => {
  const places = openTeamPlaces({ ofAll: 2, ofTeam: 1, maxWaiting: 1 });
  const release = await places.take('noisy');
  const second = places.take('noisy');
  await expect(places.take('noisy')).rejects.toMatchObject({ status: 429, retryAfterSeconds: 2 });
  (await places.take('quiet'))();
  release();
  (await second)();
  (await places.take('noisy'))();
});

/** Lets all promises that can go on do so. */
const settle = () => new Promise(resolve => setImmediate(resolve));
