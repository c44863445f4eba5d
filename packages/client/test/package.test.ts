import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const PACKAGE = join(import.meta.dirname, '..');
const run = promisify(execFile);

it('imports nothing at run time but what the build copies', async () => {
  const source = join(PACKAGE, 'src');
  const files = (await readdir(source)).map(file => readFile(join(source, file), 'utf8'));
  const imported = (await Promise.all(files)).flatMap(text => [
    ...text.matchAll(/^(?:import|export) (?!type\b)[^;]*? from '([^']+)'/gm),
  ]);
  expect(imported.length).toBeGreaterThan(5);
  const others = imported.map(([, specifier]) => specifier).filter(specifier => !specifier?.startsWith('./'));
  expect(new Set(others)).toEqual(
    new Set([
      '@billing/contracts/catalog-conflict-text',
      '@billing/contracts/currency-decimals',
      '@billing/contracts/entitlement-value',
      '@billing/contracts/event-types',
      '@billing/contracts/money-format',
      '@billing/contracts/payment-method-text',
    ]),
  );
});

it.each([
  ['README.md', 'js', 'first-checkout.mjs'],
  ['README.md', 'mjs', 'embedded-checkout.mjs'],
  ['README.md', 'sh', 'install.sh'],
  ['../../README.md', 'js', 'first-event.mjs'],
  ['../../README.md', 'js', 'may-use.mjs'],
])('prints in %s, as %s, %s', async (readme, language, name) => {
  const example = await readFile(join(PACKAGE, 'examples', name), 'utf8');
  expect(await readFile(join(PACKAGE, readme), 'utf8')).toContain(`\`\`\`${language}\n${example}\`\`\``);
});

it('names its version in the command that installs it', async () => {
  const { version } = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8')) as { version: string };
  expect(await readFile(join(PACKAGE, 'examples/install.sh'), 'utf8')).toContain(`billing-client-${version}.tgz`);
});

it('has README examples that compile', async () => {
  const readme = await readFile(join(PACKAGE, 'README.md'), 'utf8');
  const examples = [...readme.matchAll(/```(?:js|ts)\n([\s\S]*?)```/g)].map(([, example]) => example);
  expect(examples.length).toBeGreaterThan(1);
  // Inside the package, where the compiler resolves the package's name.
  const folder = await mkdtemp(join(PACKAGE, 'readme-'));
  try {
    await writeFile(join(folder, 'readme.ts'), examples.join('\n'));
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: '../tsconfig.json', include: ['readme.ts'] }),
    );
    // A compiler error is in the stdout that a failing test prints.
    await expect(run('tsc', ['-p', folder], { cwd: PACKAGE })).resolves.toMatchObject({ stdout: '' });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
