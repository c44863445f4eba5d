import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { settleEngines, type Lockfile } from '../src/settle-engines.ts';

const LOCK = join(import.meta.dirname, '../../../package-lock.json');
const lockOf = (engines: Record<string, string> | string[]): Lockfile => ({
  packages: {
    '': { engines: { node: '>=20' } },
    'node_modules/node': { version: '26.10.0' },
    'node_modules/one': { version: '1.0.0', engines },
  },
});
const settled = (engines: Record<string, string> | string[]) =>
  settleEngines(lockOf(engines)).packages['node_modules/one']?.engines;

it('drops demands that the project’s Node meets', () => {
  expect(settled({ node: '>=22.12' })).toBeUndefined();
  expect(settled({ node: '^22 || ^24 || >=26' })).toBeUndefined();
  const nested = { 'tools/one/node_modules/two': { engines: { node: '>=22' } } };
  const { packages } = settleEngines({ packages: { ...lockOf([]).packages, ...nested } });
  expect(packages['tools/one/node_modules/two']).toEqual({});
});

it('keeps demands that it does not meet, and those on npm', () => {
  expect(settled({ node: '>=27' })).toEqual({ node: '>=27' });
  expect(settled({ node: '^22' })).toEqual({ node: '^22' });
  expect(settled({ node: '>=20', npm: '>=99' })).toEqual({ npm: '>=99' });
  expect(settled(['node >= 0.6'])).toEqual(['node >= 0.6']);
});

it('leaves the project’s own demand', () => {
  expect(settleEngines(lockOf({ node: '>=20' })).packages['']).toEqual({ engines: { node: '>=20' } });
});

it('holds for the lock file; if not, run npm run lockfile', async () => {
  const lock = JSON.parse(await readFile(LOCK, 'utf8')) as Lockfile; // npm's own format
  expect(lock).toEqual(settleEngines(lock));
});
