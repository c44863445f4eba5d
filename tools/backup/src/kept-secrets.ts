import { copyFile, chmod } from 'node:fs/promises';
import { existsSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { join } from 'node:path';
import { parseKeyRing } from '@billing/processor/key-ring';
import { StartError } from '@billing/database/start-error';

/** The files of a data folder without which its data can't be opened. */
const FILES = ['secrets.json', 'credentials-keys'] as const;

/** What has to be kept beside a backup of a system whose secrets are not in a data folder. */
export const SECRETS_TO_KEEP = [
  'CREDENTIALS_KEYS (or CREDENTIALS_KEY), every version: without it each team has to connect its processor again',
  'AUTH_SECRET: without it every user signs in again and sets up the second factor anew',
  'IDENTITY_PRIVATE_KEY and IDENTITY_PUBLIC_KEY, the SERVICE_KEY of each service, and the passwords of PostgreSQL and NATS: may be replaced',
] as const;

/** Copies the secrets of a data folder; only the owner can read the copies. */
export async function saveSecrets(dataDir: string, folder: string): Promise<void> {
  for (const file of FILES) await copySecret(join(dataDir, file), join(folder, file));
}

/**
 * Puts the secrets of a backup into a data folder. Those that are there already stay, if they open what the backup holds.
 * @throws StartError when there are others
 */
export async function restoreSecrets(folder: string, dataDir: string): Promise<void> {
  const [missing] = FILES.filter(file => !existsSync(join(folder, file)));
  if (missing)
    throw new StartError(
      `The backup has no ${missing}: it is of a system elsewhere. Set ADMIN_DATABASE_URL to restore it.`,
    );
  for (const file of FILES) {
    const existing = join(dataDir, file);
    if (!existsSync(existing)) continue;
    const [kept, saved] = [existing, join(folder, file)].map(path => readSecrets(file, path));
    if (!contains(kept, saved))
      throw new StartError(
        `${existing} is of another system than the backup. Move it away, or choose another BILLING_DATA_DIR.`,
      );
  }
  for (const file of FILES)
    if (!existsSync(join(dataDir, file))) await copySecret(join(folder, file), join(dataDir, file));
}

async function copySecret(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  await chmod(to, 0o600);
}

type Secrets = ReadonlyMap<string, unknown>;

/** By name, or by the version of a master key. */
function readSecrets(file: (typeof FILES)[number], path: string): Secrets {
  const text = readFileSync(path, 'utf8');
  if (file === 'secrets.json') return new Map(Object.entries(JSON.parse(text) as object)); // written by this system
  return new Map([...parseKeyRing(text).keys].map(([version, key]) => [`${version}`, key]));
}

function contains(kept: Secrets | undefined, saved: Secrets | undefined): boolean {
  return [...(saved ?? [])].every(([name, value]) => isDeepStrictEqual(kept?.get(name), value));
}
