import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { writePrivateFile } from '../src/private-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'billing-secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));
const ROOT = join(import.meta.dirname, '../../..');

it('writes a new file that only its owner can read, and replaces none', () => {
  const path = join(folder, 'secrets.yaml');
  writePrivateFile(path, 'secret', { outside: ROOT });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(() => writePrivateFile(path, 'other', { outside: ROOT })).toThrow('may hold the only secrets of a system');
  expect(readFileSync(path, 'utf8')).toBe('secret');
});

it('writes nothing into the project, also by another name of it', () => {
  symlinkSync(ROOT, join(folder, 'link'));
  for (const path of [join(ROOT, 'secrets.yaml'), join(ROOT, 'deploy/secrets.yaml'), join(folder, 'link/secrets.yaml')])
    expect(() => writePrivateFile(path, 'secret', { outside: ROOT })).toThrow('Name a file elsewhere');
  expect(() => writePrivateFile(join(folder, 'none/x'), 'secret', { outside: ROOT })).toThrow('does not exist');
});

it('prints where the secrets of Kubernetes are, and none of them', async () => {
  const file = join(folder, 'kubernetes.yaml');
  const { PATH } = process.env;
  const env = {
    PATH,
    ADMIN_DATABASE_URL: 'postgres://postgres:hunter2@db/billing',
    ADMIN_NATS_URL: 'nats://nats:4222',
  };
  const main = join(import.meta.dirname, '../src/write-secrets.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [main, file], { env });
  expect(stdout).toContain(`kubectl apply -n billing -f ${file}`);
  expect(stdout).not.toMatch(/hunter2|password/i);
  expect(readFileSync(file, 'utf8')).toContain('hunter2');
});
