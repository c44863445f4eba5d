import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { COMMON_JS, publicManifest, type Manifest } from './public-manifest.ts';

const PACKAGE = join(import.meta.dirname, '..');
const CONFIG = join(PACKAGE, 'tsconfig.build.json');

/** The options of `tsconfig.build.json`, for modules that are not of this package. */
const AS_BUILT = '--target es2022 --lib es2024 --module nodenext --declaration --rewriteRelativeImportExtensions'.split(
  ' ',
);
/** The modules of the contracts that the package runs; they import nothing but each other, and go along. */
const COPIED = [
  'catalog-conflict-text',
  'currency-decimals',
  'entitlement-value',
  'event-types',
  'money-format',
  'payment-method-text',
  'problem-details',
];

/** Builds the package that `npm pack` packs, in a folder: both kinds of modules with declarations, README and manifest. */
export async function buildPackage(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await promisify(execFile)('tsc', ['-p', CONFIG, '--outDir', folder], { cwd: PACKAGE });
  const copied = COPIED.map(name => fileURLToPath(import.meta.resolve(`@billing/contracts/${name}`)));
  await promisify(execFile)('tsc', ['--ignoreConfig', '--outDir', folder, ...AS_BUILT, ...copied], { cwd: PACKAGE });
  await Promise.all((await readdir(folder)).map(name => finishFile(join(folder, name))));
  await addCommonJs(folder);

  const manifest = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8')) as Manifest; // npm's own format
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(publicManifest(manifest), null, 2)}\n`);
  await cp(join(PACKAGE, 'README.md'), join(folder, 'README.md'));
}

/** Lets declarations import what exists, and removes the JavaScript of modules that have only types. */
async function finishFile(file: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  if (text.trim() === 'export {};') return rm(file);
  const own = text.replaceAll(/'@billing\/contracts\/([\w-]+)'/g, (imported, module: string) =>
    COPIED.includes(module) ? `'./${module}.js'` : imported,
  );
  const finished = file.endsWith('.d.ts') ? own.replaceAll(/(['"])(\.\/[\w-]+)\.ts\1/g, '$1$2.js$1') : own;
  if (finished !== text) await writeFile(file, finished);
}

/** Adds what `require` gets: one module, and the same declarations in a folder where they describe CommonJS. */
async function addCommonJs(folder: string): Promise<void> {
  const target = join(folder, COMMON_JS);
  const declarations = (await readdir(folder)).filter(name => name.endsWith('.d.ts'));
  await mkdir(target);
  await Promise.all(declarations.map(name => cp(join(folder, name), join(target, name))));
  await writeFile(join(target, 'package.json'), '{ "type": "commonjs" }\n');
  await using bundle = await rolldown({ input: join(folder, 'index.js'), platform: 'neutral' });
  await bundle.write({ file: join(target, 'index.js'), format: 'cjs' });
}
