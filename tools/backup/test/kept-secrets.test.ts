import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { restoreSecrets, saveSecrets } from '../src/kept-secrets.ts';

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64');

async function newFolder(files: Readonly<Record<string, string>> = {}) {
  const path = await mkdtemp(join(tmpdir(), 'billing-secrets-'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text);
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

const SAVED = { 'secrets.json': '{"authSecret":"a"}', 'credentials-keys': `1:${key(1)}\n` };

it('copies the secrets of a data folder for their owner only, and puts them back', async () => {
  await using dataDir = await newFolder(SAVED);
  await using backup = await newFolder();
  await using empty = await newFolder();
  await saveSecrets(dataDir.path, backup.path);
  await restoreSecrets(backup.path, empty.path);
  for (const [name, text] of Object.entries(SAVED)) {
    expect(await readFile(join(empty.path, name), 'utf8')).toBe(text);
    expect((await stat(join(backup.path, name))).mode & 0o777).toBe(0o600);
  }
});

it('keeps newer secrets that open the backup too', async () => {
  const newer = { 'secrets.json': '{"authSecret":"a","added":"b"}', 'credentials-keys': `2:${key(2)}\n1:${key(1)}\n` };
  await using backup = await newFolder(SAVED);
  await using dataDir = await newFolder(newer);
  await restoreSecrets(backup.path, dataDir.path);
  for (const [name, text] of Object.entries(newer)) expect(await readFile(join(dataDir.path, name), 'utf8')).toBe(text);
});

it.each([
  ['secrets.json', '{"authSecret":"other"}'],
  ['credentials-keys', `1:${key(9)}\n`],
])('refuses a data folder with another %s', async (name, text) => {
  await using backup = await newFolder(SAVED);
  await using dataDir = await newFolder({ [name]: text });
  await expect(restoreSecrets(backup.path, dataDir.path)).rejects.toThrow(`${name} is of another system`);
});

it('refuses a backup without secrets', async () => {
  await using backup = await newFolder();
  await using dataDir = await newFolder();
  await expect(restoreSecrets(backup.path, dataDir.path)).rejects.toThrow('Set ADMIN_DATABASE_URL');
});
