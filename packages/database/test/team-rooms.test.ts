import { createTestDatabase } from '@billing/testing/database';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openDatabase } from '../src/database.ts';
import { openTeamRooms } from '../src/team-rooms.ts';
import { Note } from './note.entity.ts';

const WINDOW = { ofTeam: 4, ofAll: 6, least: 1, isInFlight: 'lease_id is not null', weight: '1' };

/** A table of jobs, and the window of its teams as one process knows it, whose clock is `clock.ms`. */
async function startRooms() {
  const resources = new AsyncDisposableStack();
  const { url } = resources.use(await createTestDatabase('portal'));
  const database = openDatabase({ service: 'portal', url, entities: [Note], migrations: [] });
  resources.defer(() => database.close());
  const { em } = database;
  await em.execute(`create table jobs (team_id text, due_at timestamptz, lease_id uuid)`);
  const clock = { ms: 0 };
  return {
    clock,
    rooms: openTeamRooms(em, 'jobs', WINDOW, () => clock.ms),
    /** Leases rows as another process does. */
    lease: (teamId: string, count: number) =>
      em.execute(
        `insert into jobs select ?, clock_timestamp() + interval '1 minute', gen_random_uuid() from generate_series(1, ?::int)`,
        [teamId, count],
      ),
    end: () => em.execute('delete from jobs'),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

it('has room for a number of rows of a team and of all, and for some of each team', async () => {
  await using started = await startRooms();
  const { rooms } = started;
  const takes = (teamId: string, count: number) => Array.from({ length: count }, () => rooms.take(teamId));
  expect(takes('a', 5)).toEqual([true, true, true, true, false]);
  expect(takes('b', 3)).toEqual([true, true, false]);
  expect(takes('c', 2)).toEqual([true, false]);
  rooms.free('a', 2);
  expect(takes('a', 2)).toEqual([true, false]);
});

it('learns from the table what other processes lease and end, at most once a second', async () => {
  await using started = await startRooms();
  const { rooms, clock } = started;
  await started.lease('a', 3);
  await rooms.refresh();
  expect([rooms.take('a'), rooms.take('a')]).toEqual([true, false]);

  await started.end();
  await rooms.refresh();
  expect(rooms.take('a')).toBe(false);
  clock.ms += 1_000;
  await rooms.refresh();
  expect(rooms.take('a')).toBe(true);
});

it('keeps what is leased while it counts', async () => {
  await using started = await startRooms();
  const { rooms } = started;
  await started.lease('a', 2);
  const counted = rooms.refresh();
  rooms.add('a', 2);
  await counted;
  expect(rooms.take('a')).toBe(false);
});

it('counts what it adds and frees, and never below zero', () => {
  const change = fc.record({
    teamId: fc.constantFrom('a', 'b'),
    weight: fc.integer({ min: 1, max: 3 }),
    isAdded: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(change), changes => {
      const rooms = openTeamRooms(undefined as never, 'jobs', WINDOW); // it counts in no table
      const expected = new Map<string, number>();
      for (const { teamId, weight, isAdded } of changes) {
        if (isAdded) rooms.add(teamId, weight);
        else rooms.free(teamId, weight);
        const after = Math.max((expected.get(teamId) ?? 0) + (isAdded ? weight : -weight), 0);
        if (after > 0) expected.set(teamId, after);
        else expected.delete(teamId);
      }
      expect(rooms.inFlight).toEqual(expected);
    }),
    { numRuns: runs(400) },
  );
});
