import { execFile, spawn } from 'node:child_process';
import { constants, accessSync, existsSync, readdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { StartError } from '@billing/database/start-error';

/** PostgreSQL's own programs to dump and restore, of one version. */
export interface PostgresTools {
  readonly pgDump: string;
  readonly pgRestore: string;
  readonly major: number;
}

/** Folders that distributions leave off the `PATH`, each with a folder for every version. */
const VERSIONED_FOLDERS = [
  { parent: '/usr/lib/postgresql', bin: 'bin' },
  { parent: '/opt/homebrew/opt', bin: 'bin' },
  { parent: '/usr/local/opt', bin: 'bin' },
];

/**
 * Returns `pg_dump` and `pg_restore` that are not older than the server: those of `PG_DUMP` if it is set, else the first
 * on the `PATH`, else those of the distribution's folders.
 * @throws StartError that says which versions there are and what to install
 */
export async function findPostgresTools(
  serverMajor: number,
  env: Readonly<Record<string, string | undefined>>,
): Promise<PostgresTools> {
  const named = env['PG_DUMP'];
  const candidates = named ? [named] : candidatesOf(env['PATH'] ?? '');
  const found: string[] = [];
  for (const pgDump of candidates) {
    const major = await majorOf(pgDump);
    if (major === undefined) continue;
    const pgRestore = join(dirname(pgDump), 'pg_restore');
    if (major >= serverMajor && isExecutable(pgRestore)) return { pgDump, pgRestore, major };
    found.push(major >= serverMajor ? `${pgDump} has no pg_restore beside it` : `${pgDump} is of PostgreSQL ${major}`);
  }
  if (named && found.length === 0) found.push(`${named} is no pg_dump`);
  throw new StartError(
    `The server is PostgreSQL ${serverMajor}, and no pg_dump can read it: ${found.join(', ') || 'there is none'}. ` +
      `Install the client programs of PostgreSQL ${serverMajor} or newer (Debian and Ubuntu: postgresql-client-${serverMajor} of apt.postgresql.org; ` +
      `macOS: brew install postgresql@${serverMajor}), or set PG_DUMP to the path of its pg_dump.`,
  );
}

/** Runs one of the programs. @throws StartError with what it printed when it fails */
export async function runTool(program: string, args: readonly string[], url: string): Promise<void> {
  const { connection, password } = connectionOf(url);
  const child = spawn(program, [...args, `--dbname=${connection}`], {
    env: { PATH: process.env['PATH'], LC_ALL: 'C', PGPASSWORD: password, PGAPPNAME: 'billing-backup' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const printed: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => printed.push(text));
  const { promise: exited, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject).once('close', resolve);
  const code = await exited;
  if (code === 0) return;
  throw new StartError(`${program} failed:\n${printed.join('').trim().split('\n').slice(-10).join('\n')}`);
}

/** The list of processes shows arguments to everyone, so the password goes another way. */
function connectionOf(url: string): { connection: string; password: string } {
  const parsed = new URL(url);
  const password = decodeURIComponent(parsed.password);
  parsed.password = '';
  return { connection: parsed.href, password };
}

function candidatesOf(path: string): string[] {
  const folders = path.split(delimiter).filter(folder => folder !== '');
  const versioned = VERSIONED_FOLDERS.flatMap(({ parent, bin }) =>
    existsSync(parent) ? newestFirst(readdirSync(parent)).map(version => join(parent, version, bin)) : [],
  );
  return [...folders, ...versioned].map(folder => join(folder, 'pg_dump')).filter(isExecutable);
}

const newestFirst = (names: readonly string[]): string[] =>
  names.toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }));

/** Returns the major version; undefined for a program that is no `pg_dump`. */
async function majorOf(pgDump: string): Promise<number | undefined> {
  try {
    const { stdout } = await promisify(execFile)(pgDump, ['--version']);
    const [, major] = /^pg_dump \(PostgreSQL\) (\d+)/.exec(stdout) ?? [];
    return major === undefined ? undefined : Number(major);
  } catch {
    return undefined;
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
