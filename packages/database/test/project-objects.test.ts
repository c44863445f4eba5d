import type { ProjectScope } from '@billing/contracts/ids';
import { ProjectId, TeamId } from '@billing/contracts/ids';
import { createTestDatabase } from '@billing/testing/database';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { lockObjects } from '../src/advisory-locks.ts';
import { openDatabase, type Database } from '../src/database.ts';
import { inProjects, type ProjectObject } from '../src/project-objects.ts';
import { Thing } from './thing.entity.ts';

const resources = new AsyncDisposableStack();
let database: Database;
beforeAll(async () => {
  const { url } = resources.use(await createTestDatabase('portal'));
  database = resources.adopt(openDatabase({ service: 'portal', url, entities: [Thing], migrations: [] }), opened =>
    opened.close(),
  );
  await database.em.execute('create table things (team_id text, project_id text, name text, id serial primary key)');
});
afterAll(() => resources.disposeAsync());

const newScope = (teamId = TeamId.create()): ProjectScope => ({ teamId, projectId: ProjectId.create() });

const namesOf = async (objects: readonly ProjectObject[]) =>
  (await database.em.fork().find(Thing, inProjects('name', objects), { orderBy: { id: 'asc' } })).map(
    ({ projectId, name }) => [projectId, name],
  );

it('selects rows in the projects of their objects only', async () => {
  const first = newScope();
  const second = newScope(first.teamId);
  for (const { teamId, projectId } of [first, second])
    for (const name of ['a', 'b', 'c'])
      await database.em.execute('insert into things (team_id, project_id, name) values (?, ?, ?)', [
        teamId,
        projectId,
        name,
      ]);
  const objects = [
    { scope: first, id: 'a' },
    { scope: first, id: 'c' },
    { scope: second, id: 'b' },
    { scope: newScope(first.teamId), id: 'c' },
    { scope: newScope(), id: 'a' },
  ];
  expect(await namesOf([...objects, ...objects])).toEqual([
    [first.projectId, 'a'],
    [first.projectId, 'c'],
    [second.projectId, 'b'],
  ]);
});

it('selects no row without objects', async () => {
  const { teamId, projectId } = newScope();
  await database.em.execute('insert into things (team_id, project_id, name) values (?, ?, ?)', [
    teamId,
    projectId,
    'a',
  ]);
  expect(await namesOf([])).toEqual([]);
});

it('locks objects that have no row, each in its own project, until the transaction ends', async () => {
  const object = { scope: newScope(), id: 'a' };
  const others = [
    { scope: newScope(object.scope.teamId), id: 'a' },
    { ...object, id: 'b' },
  ];
  const tryToLock = (kind: string, objects: readonly ProjectObject[], options?: { shared: boolean }) =>
    database.em.fork().transactional(async tx => {
      await tx.execute(`set local lock_timeout = '50ms'`);
      await lockObjects(tx, kind, objects, options);
    });
  await database.em.fork().transactional(async tx => {
    await lockObjects(tx, 'thing', [object, object]);
    await expect(tryToLock('thing', [...others, object])).rejects.toThrow('lock timeout');
    await tryToLock('thing', others);
    await tryToLock('other', [object]);
  });
  await database.em.fork().transactional(async tx => {
    await lockObjects(tx, 'thing', [object], { shared: true });
    await tryToLock('thing', [object], { shared: true });
    await expect(tryToLock('thing', [object])).rejects.toThrow('lock timeout');
  });
  await tryToLock('thing', [object]);
});
