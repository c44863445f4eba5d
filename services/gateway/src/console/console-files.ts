import { readdir } from 'node:fs/promises';
import { readStaticFile, type StaticFile } from '#http/static-file.ts';

/** The console as it was built, read once: a build while the gateway runs does not mix with it. */
export interface ConsoleFiles {
  /** Undefined before the console was built. */
  readonly page: StaticFile | undefined;
  /** By name; each name contains a hash of the content. */
  readonly assets: ReadonlyMap<string, StaticFile>;
}

/** Reads the console from the folder that its build wrote. */
export async function readConsoleFiles(folder: URL): Promise<ConsoleFiles> {
  const page = await readIfPresent(new URL('index.html', folder));
  if (!page) return { page, assets: new Map() };
  const names = await readdir(new URL('assets/', folder));
  const assets = await Promise.all(
    names.map(async name => [name, await readStaticFile(new URL(`assets/${name}`, folder))] as const),
  );
  return { page, assets: new Map(assets) };
}

async function readIfPresent(file: URL): Promise<StaticFile | undefined> {
  try {
    return await readStaticFile(file);
  } catch (err) {
    if (err instanceof Error && 'code' in err && err.code === 'ENOENT') return undefined;
    throw err;
  }
}
