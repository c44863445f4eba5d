import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseKeyRing } from '@billing/processor/key-ring';
import { StartError } from '@billing/database/start-error';
import { z } from 'zod';
import { seal, unseal } from './sealed-file.ts';

/** The files of a data folder without which its data can't be opened. */
const FILES = ['secrets.json', 'credentials-keys'] as const;

/** The files without which the data of a data folder can't be opened. */
export const secretFilesOf = (dataDir: string): string[] => FILES.map(file => join(dataDir, file));

/** What has to be kept beside a backup of a system whose secrets are not in a data folder. */
export const SECRETS_TO_KEEP = [
  'CREDENTIALS_KEYS (or CREDENTIALS_KEY), every version: without it each team has to connect its processor again',
  'AUTH_SECRET: without it every user signs in again and sets up the second factor anew',
  'IDENTITY_PRIVATE_KEY and IDENTITY_PUBLIC_KEY, the SERVICE_KEY of each service, and the passwords of PostgreSQL and NATS: may be replaced',
] as const;

/** The secrets of a backup, encrypted with a passphrase. */
const SEALED_FILE = 'secrets.sealed';
/** By which a restore knows whether the secrets that it finds are those of the backup. They are random, so a digest says nothing. */
const DIGESTS_FILE = 'secrets-digests.json';

const digests = z.record(z.enum(FILES), z.record(z.string(), z.string()));
const contents = z.record(z.enum(FILES), z.string());
type File = (typeof FILES)[number];

/**
 * Saves the secrets of a data folder in a backup: encrypted with a passphrase, or without one not at all. Digests of them are
 * always saved. Returns whether the secrets are in the backup.
 * @throws StartError when the passphrase is too short
 */
export function saveSecrets(dataDir: string, folder: string, passphrase: string | undefined): boolean {
  const texts = new Map(FILES.map(file => [file, readFileSync(join(dataDir, file), 'utf8')]));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text, { mode: 0o600 });
  write(
    DIGESTS_FILE,
    JSON.stringify(Object.fromEntries([...texts].map(([file, text]) => [file, digestsOf(file, text)]))),
  );
  if (passphrase) write(SEALED_FILE, seal(JSON.stringify(Object.fromEntries(texts)), passphrase));
  return Boolean(passphrase);
}

/**
 * Puts the secrets of a backup into a data folder, unless they are there already.
 * @throws StartError when there are others, the backup has none, or the passphrase does not open them
 */
export function restoreSecrets(folder: string, dataDir: string, passphrase: string | undefined): void {
  const [sealedFile, digestsFile] = [join(folder, SEALED_FILE), join(folder, DIGESTS_FILE)];
  if (!existsSync(digestsFile))
    throw new StartError(
      'The backup is of a system elsewhere, not of a data folder. Set ADMIN_DATABASE_URL to restore it.',
    );
  const saved = digests.parse(JSON.parse(readFileSync(digestsFile, 'utf8')));
  for (const file of FILES) {
    const existing = join(dataDir, file);
    if (existsSync(existing) && !contains(digestsOf(file, readFileSync(existing, 'utf8')), saved[file]))
      throw new StartError(
        `${existing} is of another system than the backup. Move it away, or choose another BILLING_DATA_DIR.`,
      );
  }
  const missing = FILES.filter(file => !existsSync(join(dataDir, file)));
  if (missing.length === 0) return;
  if (!existsSync(sealedFile))
    throw new StartError(
      `The backup holds no secrets. Put ${missing.join(' and ')} of the system into ${dataDir} first.`,
    );
  if (!passphrase) throw new StartError('Set BACKUP_PASSPHRASE, with which the secrets of the backup are encrypted.');
  const texts = contents.parse(JSON.parse(unseal(readFileSync(sealedFile, 'utf8'), passphrase)));
  for (const file of missing) writeFileSync(join(dataDir, file), texts[file], { mode: 0o600 });
}

/** The digest of each secret by name, or by the version of a master key. */
function digestsOf(file: File, text: string): Record<string, string> {
  const secrets: readonly (readonly [string, unknown])[] =
    file === 'secrets.json'
      ? Object.entries(JSON.parse(text) as object) // written by this system
      : [...parseKeyRing(text).keys].map(([version, key]) => [`${version}`, key.toString('base64')]);
  const digestOf = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex');
  return Object.fromEntries(secrets.map(([name, value]) => [name, digestOf(value)]));
}

const contains = (kept: Readonly<Record<string, string>>, saved: Readonly<Record<string, string>>): boolean =>
  Object.entries(saved).every(([name, digest]) => kept[name] === digest);
