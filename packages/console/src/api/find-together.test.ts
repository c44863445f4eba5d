import { expect, it } from 'vitest';
import { findTogether } from './find-together.ts';
import type { ProjectScope } from './project.ts';

// Only what tells projects apart.
const scopeOf = (projectId: string) => ({ teamId: 'team_1', projectId }) as ProjectScope;

it('loads once what is wanted at once, by project, and for at most a hundred', async () => {
  const loaded: [string, number][] = [];
  const find = findTogether<{ id: string }>(async ({ projectId }, ids) => {
    loaded.push([projectId, ids.length]);
    return ids.filter(id => id !== 'gone').map(id => ({ id }));
  });
  const many = Array.from({ length: 101 }, (_, index) => find(scopeOf('a'), `id_${index}`));
  const [first, again, gone, ...others] = await Promise.all([
    ...['one', 'one', 'gone'].map(id => find(scopeOf('b'), id)),
    ...many,
  ]);
  expect([first, again, gone]).toEqual([{ id: 'one' }, { id: 'one' }, null]);
  expect(others.map(found => found?.id)).toEqual(Array.from({ length: 101 }, (_, index) => `id_${index}`));
  expect(loaded.toSorted(([a, m], [b, n]) => a.localeCompare(b) || m - n)).toEqual([
    ['a', 1],
    ['a', 100],
    ['b', 2],
  ]);
});

it('fails everyone who waits for a request that failed, and loads anew later', async () => {
  let isDown = true;
  const find = findTogether<{ id: string }>((_scope, ids) =>
    isDown ? Promise.reject(new Error('down')) : Promise.resolve(ids.map(id => ({ id }))),
  );
  const scope = scopeOf('a');
  const results = await Promise.allSettled([find(scope, 'one'), find(scope, 'two')]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isDown = false;
  expect(await find(scope, 'one')).toEqual({ id: 'one' });
});
