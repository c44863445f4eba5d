import { createTestDatabase } from '@billing/testing/database';
import { pino } from 'pino';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openDatabase } from '../src/database.ts';
import { startLeaseLoop } from '../src/lease-loop.ts';
import { extendLease, leaseRows, releaseLease, type LeasedTable } from '../src/lease-rows.ts';
import { Note } from './note.entity.ts';

const JOBS: LeasedTable = {
  table: 'jobs',
  key: ['team_id', 'id'],
  leaseSeconds: 30,
  columns: 'team_id, id, attempts',
  attempts: 'attempts',
};

interface Job {
  readonly team_id: string;
  readonly id: string;
  readonly attempts: number;
}

const logger = pino({ level: 'silent' });

/** A table of jobs in a database of its own; `add` makes due jobs, each of the given size in bytes. */
async function startJobs() {
  const resources = new AsyncDisposableStack();
  const { url } = resources.use(await createTestDatabase('portal'));
  const database = openDatabase({ service: 'portal', url, entities: [Note], migrations: [] });
  resources.defer(() => database.close());
  const { em } = database;
  await em.execute(`
    create table jobs (team_id text, id text, size int, due_at timestamptz, lease_id uuid, attempts int default 0,
      primary key (team_id, id))`);
  const add = async (teamId: string, count: number, size = 1) => {
    for (let index = 0; index < count; index += 1)
      await em.execute(`insert into jobs values (?, ?, ?, clock_timestamp() - interval '1 second')`, [
        teamId,
        String(index),
        size,
      ]);
  };
  return { em, add, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

const keyOf = ({ team_id, id }: Job) => ({ team_id, id });

it.each([JOBS, { ...JOBS, maxPerTeam: 6 }])('leases each row to one of many at the same time', async table => {
  await using jobs = await startJobs();
  for (const team of ['a', 'b', 'c']) await jobs.add(team, 15);
  const leases = await Promise.all(Array.from({ length: 5 }, () => leaseRows<Job>(jobs.em, table, 10)));
  const keys = leases.flatMap(({ rows }) => rows.map(row => `${row.team_id} ${row.id}`));
  expect(keys.length).toBeGreaterThanOrEqual(10);
  expect(new Set(keys).size).toBe(keys.length);
  expect(new Set(leases.map(({ leaseId }) => leaseId)).size).toBe(5);
});

it('leases a row again when its lease has ended, and counts the attempts', async () => {
  await using jobs = await startJobs();
  await jobs.add('a', 1);
  await leaseRows<Job>(jobs.em, JOBS, 10);
  expect((await leaseRows<Job>(jobs.em, JOBS, 10)).rows).toEqual([]);
  await jobs.em.execute(`update jobs set due_at = due_at - interval '31 seconds'`);
  expect((await leaseRows<Job>(jobs.em, JOBS, 10)).rows).toMatchObject([{ attempts: 2 }]);
});

it('extends and releases only what is still held', async () => {
  await using jobs = await startJobs();
  await jobs.add('a', 2);
  const { leaseId, rows } = await leaseRows<Job>(jobs.em, JOBS, 10);
  const keys = rows.map(keyOf);
  await jobs.em.execute(`update jobs set lease_id = gen_random_uuid() where id = '0'`);
  expect(await extendLease(jobs.em, JOBS, { leaseId, keys, seconds: 60 })).toEqual([{ team_id: 'a', id: '1' }]);
  await releaseLease(jobs.em, JOBS, { leaseId, keys, dueAfterSeconds: 0 });
  expect((await leaseRows<Job>(jobs.em, JOBS, 10)).rows.map(keyOf)).toEqual([{ team_id: 'a', id: '1' }]);
});

it('never leases a row that was released for good', async () => {
  await using jobs = await startJobs();
  await jobs.add('a', 1);
  const { leaseId, rows } = await leaseRows<Job>(jobs.em, JOBS, 10);
  await releaseLease(jobs.em, JOBS, { leaseId, keys: rows.map(keyOf), dueAfterSeconds: null });
  const [row] = await jobs.em.execute<{ due_at: Date | null; lease_id: string | null }[]>('select * from jobs');
  expect(row).toMatchObject({ due_at: null, lease_id: null });
});

it('limits the rows of one team in a batch', async () => {
  await using jobs = await startJobs();
  await jobs.add('busy', 30);
  await jobs.add('quiet', 2);
  const { rows } = await leaseRows<Job>(jobs.em, { ...JOBS, maxPerTeam: 4 }, 10);
  const counts = Object.groupBy(rows, row => row.team_id);
  expect([counts['busy']?.length, counts['quiet']?.length]).toEqual([4, 2]);
});

it('limits how many rows of a team are in flight, whichever process has leased them', async () => {
  await using jobs = await startJobs();
  const window = { ofTeam: 4, ofAll: 6, least: 1, isInFlight: 'lease_id is not null', weight: '1' };
  const lease = async () => {
    const { leaseId, rows } = await leaseRows<Job>(jobs.em, { ...JOBS, maxPerTeam: window }, 100);
    const counts = Map.groupBy(rows, row => row.team_id);
    return { leaseId, rows, counts: Object.fromEntries([...counts].map(([team, { length }]) => [team, length])) };
  };
  await jobs.add('busy', 30);
  await jobs.add('quiet', 2);
  const first = await lease();
  expect(first.counts).toEqual({ busy: 4, quiet: 2 });
  // All may have six, which they have; but a team without any has one.
  await jobs.add('late', 3);
  expect((await lease()).counts).toEqual({ late: 1 });
  const keys = first.rows.filter(row => row.team_id === 'busy').map(keyOf);
  await releaseLease(jobs.em, JOBS, { leaseId: first.leaseId, keys: keys.slice(1), dueAfterSeconds: null });
  expect((await lease()).counts).toEqual({ busy: 2, late: 2 });
});

it('leases by what its caller knows to be in flight', async () => {
  await using jobs = await startJobs();
  const window = { ofTeam: 4, ofAll: 6, least: 1, isInFlight: 'lease_id is not null', weight: '1' };
  await jobs.add('busy', 9);
  await jobs.add('quiet', 9);
  const inFlight = new Map([['busy', 3]]);
  const { rows } = await leaseRows<Job>(jobs.em, { ...JOBS, maxPerTeam: window }, 100, inFlight);
  const counts = Object.groupBy(rows, row => row.team_id);
  expect([counts['busy']?.length, counts['quiet']?.length]).toEqual([1, 3]);
});

it('limits the size of a batch, but leases a row that alone is larger', async () => {
  await using jobs = await startJobs();
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 8 }), async sizes => {
      await jobs.em.execute('delete from jobs');
      for (const [index, size] of sizes.entries())
        await jobs.em.execute(`insert into jobs values ('a', ?, ?, clock_timestamp() + make_interval(secs => ?))`, [
          String(index),
          size,
          index - 100,
        ]);
      const { rows } = await leaseRows<Job>(jobs.em, { ...JOBS, maxSize: { column: 'size', bytes: 10 } }, 100);
      const leased = rows.map(row => sizes[Number(row.id)] ?? 0);
      const allButLast = rows
        .toSorted((a, b) => Number(a.id) - Number(b.id))
        .slice(0, -1)
        .map(row => sizes[Number(row.id)] ?? 0);
      expect(leased.length).toBeGreaterThan(0);
      expect(allButLast.reduce((sum, size) => sum + size, 0)).toBeLessThan(10);
    }),
    { numRuns: runs(20) },
  );
});

it('works on what becomes due, and tries again after a failure', async () => {
  await using jobs = await startJobs();
  let failures = 0;
  const done = Promise.withResolvers<readonly string[]>();
  const loop = startLeaseLoop<Job>({
    name: 'jobs',
    batchSize: 10,
    lease: async limit => {
      if (failures === 0 && (failures += 1)) throw new Error('not now');
      return (await leaseRows<Job>(jobs.em, JOBS, limit)).rows;
    },
    work: async rows => done.resolve(rows.map(row => row.id)),
    intervalMs: 10,
    logger,
  });
  await jobs.add('a', 1);
  expect(await done.promise).toEqual(['0']);
  expect(failures).toBe(1);
  await loop.stop();
});

it('looks every five seconds once nothing has happened for ten, and at once after a commit', async () => {
  await using jobs = await startJobs();
  await jobs.em.execute('select 1');
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  let looks = 0;
  const looksWithin = async (ms: number): Promise<number> => {
    looks = 0;
    await vi.advanceTimersByTimeAsync(ms);
    return looks;
  };
  const loop = startLeaseLoop<Job>({
    name: 'jobs',
    batchSize: 10,
    lease: async () => ((looks += 1), []),
    work: async () => undefined,
    intervalMs: 1_000,
    commitsOf: jobs.em,
    logger,
  });
  expect(await looksWithin(10_000)).toBe(10);
  await looksWithin(5_000);
  expect(await looksWithin(60_000)).toBe(12);
  looks = 0;
  await jobs.em.fork().transactional(tx => tx.execute('select 1'));
  await vi.advanceTimersByTimeAsync(0);
  expect(looks).toBe(1);
  expect(await looksWithin(5_000)).toBe(5);
  await looksWithin(10_000);
  loop.wake();
  expect(await looksWithin(5_000)).toBe(6);
  await loop.stop();
});

it('works on rows side by side, as many as it may', async () => {
  await using jobs = await startJobs();
  await jobs.add('a', 9);
  let running = 0;
  let most = 0;
  let left = 9;
  const all = Promise.withResolvers<void>();
  const loop = startLeaseLoop<Job>({
    name: 'jobs',
    batchSize: 20,
    parallel: 3,
    lease: async limit => (await leaseRows<Job>(jobs.em, JOBS, limit)).rows,
    work: async () => {
      running += 1;
      most = Math.max(most, running);
      await jobs.em.fork().execute('select 1');
      running -= 1;
      if (--left === 0) all.resolve();
    },
    intervalMs: 10,
    logger,
  });
  await all.promise;
  await loop.stop();
  expect(most).toBe(3);
});

it('waits for the work under way when it stops', async () => {
  await using jobs = await startJobs();
  await jobs.add('a', 1);
  const begun = Promise.withResolvers<void>();
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  let isDone = false;
  const loop = startLeaseLoop<Job>({
    name: 'jobs',
    batchSize: 1,
    lease: async limit => (await leaseRows<Job>(jobs.em, JOBS, limit)).rows,
    work: async () => {
      begun.resolve();
      await held;
      isDone = true;
    },
    intervalMs: 10,
    logger,
  });
  await begun.promise;
  const stopped = loop.stop();
  letGo();
  await stopped;
  expect(isDone).toBe(true);
});
