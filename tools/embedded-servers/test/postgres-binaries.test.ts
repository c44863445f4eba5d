import { mkdir, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { linkLibraries } from '../src/postgres-binaries.ts';
import { temporaryFolder } from './temporary-folder.ts';

it('creates the library links that install scripts would create', async () => {
  await using folder = await temporaryFolder();
  const library = join(folder.path, 'native/lib');
  await mkdir(library, { recursive: true });
  await writeFile(join(library, 'libpq.so.5.18'), '');
  await writeFile(
    join(folder.path, 'native/pg-symlinks.json'),
    JSON.stringify([{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }]),
  );
  linkLibraries(folder.path);
  linkLibraries(folder.path);
  expect(await readlink(join(library, 'libpq.so.5'))).toBe('libpq.so.5.18');
});
