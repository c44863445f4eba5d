import { accessSync, constants, existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { extractFromApt, installWithHomebrew } from './nats-package.ts';
import { downloadRelease, PINNED_RELEASE, type Release } from './nats-release.ts';

export interface NatsBinaryOptions {
  /** Folders to look in first; default: `PATH` and the folders of system programs that may be missing in it. */
  searchPath?: readonly string[];
  /** Where a downloaded server is kept; default `~/.cache/billing`. */
  cacheDir?: string;
  release?: Release;
  /** What the operating system offers, tried in this order; each gives a path or throws. */
  packageManagers?: ReadonlyArray<(targetDir: string) => Promise<string>>;
  report?: (line: string) => void;
}

/**
 * Finds `nats-server`: on the path, else a copy kept from before, else the pinned release, else through the
 * system's package manager.
 * @throws one error that says what was tried and what to install.
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

  const ways = [
    () => downloadRelease(release, releaseDir),
    ...packageManagers.map(install => () => install(packagedDir)),
  ];
  report('nats-server is not installed; fetching it');
  const failures: string[] = [];
  for (const way of ways) {
    try {
      return await way();
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new Error(
    `nats-server is not installed and could not be fetched (${failures.join('; ')}). Install nats-server 2.9 or later (Debian: apt-get install nats-server, macOS: brew install nats-server), or set NATS_URL to a server with JetStream.`,
  );
}

/** Debian keeps servers in /usr/sbin, which an ordinary user's PATH leaves out. */
function systemPath(): string[] {
  const named = (process.env['PATH'] ?? '').split(delimiter).filter(folder => folder !== '');
  return [...named, '/usr/local/bin', '/usr/local/sbin', '/usr/bin', '/usr/sbin', '/opt/homebrew/bin'];
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return existsSync(file);
  } catch {
    return false;
  }
}
