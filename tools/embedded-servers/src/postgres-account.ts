import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** The account that PostgreSQL runs as; PostgreSQL refuses to run as root. */
export interface PostgresAccount {
  /** Absent when this process is not root: PostgreSQL then runs as the same user. */
  uid?: number;
  gid?: number;
  /** Command prefix for folders that only root can enter. */
  prefix: readonly string[];
}

/**
 * Returns the account for a data folder: this process's own, or for root the folder's owner, else `postgres`, which is
 * created if it is missing.
 * @throws when no account exists and none can be created
 */
export function choosePostgresAccount(dataDir: string, binary: string): PostgresAccount {
  if (process.getuid?.() !== 0) return { prefix: [] };
  const { uid, gid } = ownerOf(dataDir) ?? findPostgresUser() ?? createPostgresUser();
  const unreachable = [dataDir, binary].find(path => !isReachable(path, uid, gid));
  if (unreachable === undefined) return { uid, gid, prefix: [] };
  // Other users cannot enter /root. The capability to search folders allows it without moving the data. Without the bit, the
  // system call `access`, by which PostgreSQL looks for its own programs, leaves the capabilities of such users out.
  const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find(existsSync);
  const capability = searchCapability();
  if (setpriv === undefined || capability === undefined)
    throw new Error(
      `PostgreSQL does not run as root, and its own user may not enter the folder of ${unreachable}. Put the project or BILLING_DATA_DIR where other users may enter, or start it as an ordinary user.`,
    );
  const switchUser = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
  const keepCapability = [
    `--inh-caps=+${capability}`,
    `--ambient-caps=+${capability}`,
    '--securebits=+no_setuid_fixup',
  ];
  return { prefix: [setpriv, ...switchUser, ...keepCapability, '--'], uid, gid };
}

/**
 * Returns the weaker of the two capabilities that open a folder, if this process has one and may pass it on: containers drop
 * some.
 */
function searchCapability(): string | undefined {
  if (!existsSync('/proc/self/status')) return undefined;
  const [, hex = '0'] = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  const held = BigInt(`0x${hex}`);
  // The numbers are those of linux/capability.h.
  const has = (capability: bigint) => (held & (1n << capability)) !== 0n;
  const [dacOverride, dacReadSearch, setpcap] = [1n, 2n, 8n];
  if (!has(setpcap)) return undefined;
  if (has(dacReadSearch)) return 'dac_read_search';
  if (has(dacOverride)) return 'dac_override';
  return undefined;
}

function ownerOf(dataDir: string) {
  if (!existsSync(dataDir)) return undefined;
  const { uid, gid } = statSync(dataDir);
  return uid === 0 ? undefined : { uid, gid };
}

function findPostgresUser() {
  try {
    const [uid = NaN, gid = NaN] = ['-u', '-g'].map(flag =>
      Number(execFileSync('id', [flag, 'postgres'], { stdio: 'pipe' })),
    );
    return { uid, gid };
  } catch {
    return undefined;
  }
}

function createPostgresUser() {
  try {
    execFileSync('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/bin/false', 'postgres'], {
      stdio: 'pipe',
    });
  } catch (cause) {
    throw new Error(
      'PostgreSQL does not run as root, and no user "postgres" exists or could be created (useradd). Start as an ordinary user, or set DATABASE_URL.',
      { cause },
    );
  }
  const created = findPostgresUser();
  if (created === undefined) throw new Error('useradd created no user "postgres". Start as an ordinary user.');
  return created;
}

/** Returns whether this user can enter every folder above `path`. */
function isReachable(path: string, uid: number, gid: number): boolean {
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    if (existsSync(folder)) {
      const stat = statSync(folder);
      const bit = stat.uid === uid ? 0o100 : stat.gid === gid ? 0o010 : 0o001;
      if ((stat.mode & bit) === 0) return false;
    }
    if (folder === dirname(folder)) return true;
  }
}
