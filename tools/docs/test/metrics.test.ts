import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
/** Where the code names a metric. */
const NAMED = /(?:\bcreate\w+\(|\bname:)\s*'((?:billing|db\.client)\.[\w.]+)'/g;

it('stand in docs/observability.md, each of them', async () => {
  const documented = await readFile(join(ROOT, 'docs/observability.md'), 'utf8');
  const names = new Set<string>();
  for await (const file of glob('{packages,services}/*/src/**/*.ts', { cwd: ROOT }))
    for (const [, name = ''] of (await readFile(join(ROOT, file), 'utf8')).matchAll(NAMED)) names.add(name);
  expect(names.size).toBeGreaterThan(20);
  const isMissing = (name: string) => !new RegExp(`\\b${name.replaceAll('.', '_')}(?:_total)?\``).test(documented);
  expect([...names].filter(isMissing)).toEqual([]);
});
