import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

const ROOT = import.meta.dirname;
/** The folder that Vitest was called in; a workspace exports this configuration, and runs only its own tests. */
const HERE = relative(ROOT, process.cwd());
/** `npm run test:system` runs what takes too long for `npm test`. */
const IS_SYSTEM = process.env['SYSTEM'] === '1';
const LONG = '*.system.test.ts';
// The many processes that tests start read their compiled code from here, as those of `npm start` do.
process.env['NODE_COMPILE_CACHE'] ??= join(ROOT, 'node_modules/.cache/billing');

const npmTest = [
  project('workspaces', 0, {
    include: testsOf('packages', 'services', 'tools'),
    globalSetup: './packages/testing/src/global-setup.ts',
    maxWorkers: 4,
  }),
  // All files share one system; they wait for it more than they work.
  project('e2e', 1, {
    include: testsOf('e2e/test', 'e2e/attacks'),
    globalSetup: './e2e/system/global-setup.ts',
    maxWorkers: 4,
  }),
];
const testSystem = [
  project('system', 0, {
    include: [
      ...testsOf('packages', 'services', 'tools', 'e2e/operations').map(tests => tests.replace('*.test.ts', LONG)),
      ...propertiesOf('packages', 'services', 'tools'),
    ],
    globalSetup: './packages/testing/src/global-setup.ts',
    maxWorkers: 2,
  }),
  // Each file starts a system of its own, and mostly waits.
  project('faults', 1, { include: testsOf('e2e/faults'), maxWorkers: 2 }),
  project('containers', 2, { include: testsOf('e2e/containers'), maxWorkers: 1 }),
  // With all of its runs, its live traffic, and every page in all of its looks.
  project('whole', 3, {
    include: testsOf('e2e/test').flatMap(tests =>
      [LONG, 'hostile-input.test.ts', 'every-page.test.ts'].map(name => tests.replace('*.test.ts', name)),
    ),
    globalSetup: './e2e/system/global-setup.ts',
    maxWorkers: 1,
  }),
];

export default defineConfig({
  root: ROOT,
  test: {
    // Importing a module does nothing, so files can share modules. This halves the processor time.
    isolate: false,
    // Only a failed test takes that long, even beside busy programs.
    testTimeout: IS_SYSTEM ? 900_000 : 300_000,
    hookTimeout: IS_SYSTEM ? 900_000 : 300_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 120_000 } },
    reporters: [
      'default',
      ...(IS_SYSTEM ? ['./e2e/faults/system/tally-reporter.ts'] : []),
      './packages/testing/src/totals-reporter.ts',
    ],
    projects: IS_SYSTEM ? testSystem : npmTest,
  },
});

/** A group of test files; the groups run one after the other, by `groupOrder`. */
function project(
  name: string,
  groupOrder: number,
  test: TestProjectInlineConfiguration['test'],
): TestProjectInlineConfiguration {
  const exclude = ['**/node_modules/**', ...(IS_SYSTEM ? [] : [`**/${LONG}`])];
  return { extends: true, test: { name, sequence: { groupOrder }, exclude, ...test } };
}

/** The test files of these folders that are in the folder that Vitest was called in. */
function testsOf(...folders: readonly string[]): string[] {
  return folders
    .map(folder => (`${HERE}/`.startsWith(`${folder}/`) ? HERE : folder))
    .filter(folder => HERE === '' || `${folder}/`.startsWith(`${HERE}/`))
    .map(folder => `${folder}/**/*.test.ts`);
}

/** Those of the test files that try properties, which they do more often in `npm run test:system`. */
function propertiesOf(...folders: readonly string[]): string[] {
  if (!IS_SYSTEM) return [];
  const files = testsOf(...folders).flatMap(tests => globSync(tests, { cwd: ROOT, exclude: ['**/node_modules'] }));
  return files.filter(file => readFileSync(join(ROOT, file), 'utf8').includes("'@billing/testing/runs'"));
}
