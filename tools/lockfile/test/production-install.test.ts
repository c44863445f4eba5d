import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '../../..');
const { dependencies } = z
  .object({ dependencies: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));

/** What `npm start` runs: itself, the build, and the two bundlers that the build runs. */
const PROGRAMS = ['node', 'turbo', 'rolldown', 'vite'];
/** Sources that only tests, checks and the authors of this repository run. */
const NOT_STARTED =
  /\.test\.tsx?$|\/testing\/|^packages\/(testing|processor\/src\/contract|client\/build)|^tools\/(docs|kubernetes|lockfile)\//;
const IMPORT = /^(?:[^'\n]+ from|import) '([^'\n]+)';$|\bimport\('([^'\n]+)'\)/gm;

/** Returns the packages of the registry that the sources below these folders import. */
function importedBy(patterns: readonly string[]): Set<string> {
  const sources = globSync(patterns, { cwd: ROOT }).filter(file => !NOT_STARTED.test(file));
  const specifiers = sources.flatMap(file =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORT)].map(([, from, dynamic]) => from ?? dynamic ?? ''),
  );
  return new Set(specifiers.filter(name => !/^(\.|#|node:|@billing\/)/.test(name)).map(packageOf));
}

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

it('installs everything that a start needs without the development dependencies', () => {
  const imported = importedBy(['{packages,services,tools}/*/src/**/*.{ts,tsx}', 'packages/console/*.ts']);
  expect(imported).toContain('fastify');
  expect(imported).toContain('react');
  expect([...PROGRAMS, ...imported].filter(name => !(name in dependencies))).toEqual([]);
});
