import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { z } from 'zod';

const dependencies = z.record(z.string(), z.string()).default({});
const manifest = z.object({ allowScripts: z.record(z.string(), z.boolean()) });
const lockfile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      resolved: z.string().optional(),
      integrity: z.string().optional(),
      link: z.boolean().default(false),
      hasInstallScript: z.boolean().default(false),
      dependencies,
      devDependencies: dependencies,
    }),
  ),
});

/** The oldest version of a package without a hole that is known. */
const SAFE_SINCE = { fastify: '5.8.5', '@mikro-orm/core': '7.1.7', '@mikro-orm/sql': '7.1.7' } as const;

const readJson = async (name: string): Promise<unknown> =>
  JSON.parse(await readFile(new URL(`../../${name}`, import.meta.url), 'utf8'));
const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** The workspaces of this repository, and the packages that come from a registry. */
async function readPackages() {
  const { packages } = lockfile.parse(await readJson('package-lock.json'));
  const all = Object.entries(packages).map(([path, details]) => ({ path, name: nameOf(path), ...details }));
  return {
    workspaces: all.filter(({ path }) => !path.includes('node_modules/')),
    installed: all.filter(({ path, link }) => path.includes('node_modules/') && !link),
  };
}

it('S31: every dependency is one exact version, and its content is known by a checksum', async () => {
  const { workspaces, installed } = await readPackages();
  const ranges = workspaces
    .flatMap(found => Object.entries({ ...found.dependencies, ...found.devDependencies }))
    .filter(([name, version]) => !name.startsWith('@billing/') && !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version));
  expect(ranges).toEqual([]);
  expect(installed.length).toBeGreaterThan(100);
  expect(installed.filter(({ integrity }) => !integrity?.startsWith('sha512-'))).toEqual([]);
  // From the registry of whoever installs, and from no address that someone wrote into the file.
  expect(installed.filter(({ resolved }) => resolved !== undefined)).toEqual([]);
});

it('S31: a package runs an install script only if it is allowed by its name', async () => {
  const { allowScripts } = manifest.parse(await readJson('package.json'));
  const { installed } = await readPackages();
  const withScripts = installed.filter(({ hasInstallScript }) => hasInstallScript);
  expect(withScripts.map(({ name }) => name).filter(name => !(name in allowScripts))).toEqual([]);
});

it('S31: no package is older than the mend of a hole that is known', async () => {
  const { installed } = await readPackages();
  for (const [name, safe] of Object.entries(SAFE_SINCE)) {
    const versions = installed.filter(found => found.name === name).map(({ version = '' }) => version);
    expect(versions.length).toBeGreaterThan(0);
    for (const version of versions)
      expect(version.localeCompare(safe, 'en', { numeric: true })).toBeGreaterThanOrEqual(0);
  }
});
