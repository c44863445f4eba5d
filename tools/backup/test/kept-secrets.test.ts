import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { restoreSecrets, saveSecrets } from '../src/kept-secrets.ts';

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const PASSPHRASE = 'correct horse battery';

async function newFolder(files: Readonly<Record<string, string>> = {}) {
  const path = await mkdtemp(join(tmpdir(), 'billing-secrets-'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text);
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

const SAVED = { 'secrets.json': '{"authSecret":"a-secret"}', 'credentials-keys': `1:${key(1)}\n` };

async function backupOf(files: Readonly<Record<string, string>>, passphrase: string | undefined) {
  await using dataDir = await newFolder(files);
  const backup = await newFolder();
  saveSecrets(dataDir.path, backup.path, passphrase);
  return backup;
}

it.each([PASSPHRASE, undefined])('has no secret of a data folder in clear with the passphrase %s', async passphrase => {
  await using backup = await backupOf(SAVED, passphrase);
  const files = await readdir(backup.path);
  expect(files.includes('secrets.sealed')).toBe(passphrase !== undefined);
  for (const file of files) {
    const text = await readFile(join(backup.path, file), 'utf8');
    for (const secret of ['a-secret', key(1)]) expect(text).not.toContain(secret);
    expect((await stat(join(backup.path, file))).mode & 0o777).toBe(0o600);
  }
});

it('puts encrypted secrets back with the passphrase only, for their owner only', async () => {
  await using backup = await backupOf(SAVED, PASSPHRASE);
  await using empty = await newFolder();
  expect(() => restoreSecrets(backup.path, empty.path, undefined)).toThrow('Set BACKUP_PASSPHRASE');
  expect(() => restoreSecrets(backup.path, empty.path, `${PASSPHRASE}!`)).toThrow('BACKUP_PASSPHRASE does not open');
  restoreSecrets(backup.path, empty.path, PASSPHRASE);
  for (const [name, text] of Object.entries(SAVED)) {
    expect(await readFile(join(empty.path, name), 'utf8')).toBe(text);
    expect((await stat(join(empty.path, name))).mode & 0o777).toBe(0o600);
  }
});

it('takes no passphrase that can be guessed', async () => {
  await expect(backupOf(SAVED, 'horse')).rejects.toThrow('at least 12 characters');
});

it('needs the secrets in place when the backup has none', async () => {
  await using backup = await backupOf(SAVED, undefined);
  await using empty = await newFolder();
  expect(() => restoreSecrets(backup.path, empty.path, undefined)).toThrow('Put secrets.json and credentials-keys');
  await using kept = await newFolder(SAVED);
  expect(() => restoreSecrets(backup.path, kept.path, undefined)).not.toThrow();
});

it('keeps newer secrets that open the backup too', async () => {
  const newer = {
    'secrets.json': '{"authSecret":"a-secret","added":"b"}',
    'credentials-keys': `2:${key(2)}\n1:${key(1)}\n`,
  };
  await using backup = await backupOf(SAVED, PASSPHRASE);
  await using dataDir = await newFolder(newer);
  restoreSecrets(backup.path, dataDir.path, PASSPHRASE);
  for (const [name, text] of Object.entries(newer)) expect(await readFile(join(dataDir.path, name), 'utf8')).toBe(text);
});

it.each([
  ['secrets.json', '{"authSecret":"other"}'],
  ['credentials-keys', `1:${key(9)}\n`],
])('refuses a data folder with another %s', async (name, text) => {
  await using backup = await backupOf(SAVED, PASSPHRASE);
  await using dataDir = await newFolder({ [name]: text });
  expect(() => restoreSecrets(backup.path, dataDir.path, PASSPHRASE)).toThrow(`${name} is of another system`);
});

it('refuses a backup of a system elsewhere', async () => {
  await using backup = await newFolder();
  await using dataDir = await newFolder();
  expect(() => restoreSecrets(backup.path, dataDir.path, PASSPHRASE)).toThrow('Set ADMIN_DATABASE_URL');
});
