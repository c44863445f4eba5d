import { execFile } from 'node:child_process';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { plainTypes } from './plain-types.ts';
import { publicManifest, type Manifest } from './public-manifest.ts';

const PACKAGE = join(import.meta.dirname, '..');
const DIST = join(PACKAGE, 'dist');
const CONFIG = join(PACKAGE, 'tsconfig.build.json');
/** The modules whose types come from the contracts, which the built package does without. */
const CONTRACT_TYPES = ['wire', 'session-wire'];

/** The options of `tsconfig.build.json`, for modules that are not of this package. */
const AS_BUILT =
  '--outDir dist --target es2022 --lib es2024 --module nodenext --declaration --rewriteRelativeImportExtensions'.split(
    ' ',
  );
/** The modules of the contracts that the package runs; they import nothing but each other, and go along. */
const COPIED = ['currency-decimals', 'entitlement-value', 'event-types', 'money-format'];

/** Builds the package that `npm pack` packs: JavaScript, declarations, README and manifest, all in `dist`. */
async function build(): Promise<void> {
  await rm(DIST, { recursive: true, force: true });
  await promisify(execFile)('tsc', ['-p', CONFIG], { cwd: PACKAGE });
  const copied = COPIED.map(name => fileURLToPath(import.meta.resolve(`@billing/contracts/${name}`)));
  await promisify(execFile)('tsc', ['--ignoreConfig', ...AS_BUILT, ...copied], { cwd: PACKAGE });
  await rm(join(DIST, 'request-types.d.ts'));
  const types = plainTypes(
    CONFIG,
    CONTRACT_TYPES.map(name => join(PACKAGE, 'src', `${name}.ts`)),
  );
  await Promise.all(types.map((text, at) => writeFile(join(DIST, `${CONTRACT_TYPES[at]}.d.ts`), text)));
  await Promise.all((await readdir(DIST)).map(finishFile));

  const manifest = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8')) as Manifest; // npm's own format
  await writeFile(join(DIST, 'package.json'), `${JSON.stringify(publicManifest(manifest), null, 2)}\n`);
  await cp(join(PACKAGE, 'README.md'), join(DIST, 'README.md'));
}

/** Lets declarations import what exists, and removes the JavaScript of modules that have only types. */
async function finishFile(name: string): Promise<void> {
  const file = join(DIST, name);
  const text = await readFile(file, 'utf8');
  if (text.trim() === 'export {};') return rm(file);
  const own = text.replaceAll(/'@billing\/contracts\/([\w-]+)'/g, (imported, module: string) =>
    COPIED.includes(module) ? `'./${module}.js'` : imported,
  );
  const finished = name.endsWith('.d.ts') ? own.replaceAll(/(['"])(\.\/[\w-]+)\.ts\1/g, '$1$2.js$1') : own;
  if (finished !== text) await writeFile(file, finished);
}

await build();
