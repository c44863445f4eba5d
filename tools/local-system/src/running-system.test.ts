import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openPidsWriter, type PidsFile } from './pids-file.ts';
import { findCommandVariables, findServers } from './running-system.ts';
import { loadSecrets } from './secrets.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'billing-running-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const supervisor = { pid: 1, port: 1, url: 'http://127.0.0.1:1', token: 'token' };
const publicUrl = 'https://billing.example.com';
const writePids = (parts: PidsFile['parts']) =>
  openPidsWriter(dataDir, () => {}).write({ supervisor, publicUrl, parts });
const part = (port: number) => ({ pid: 1, port, url: `http://127.0.0.1:${port}` });

it('returns the servers of a running system with the service’s own role and user', () => {
  const { rolePasswords, natsPasswords } = loadSecrets(dataDir);
  writePids({ postgres: part(5_432), nats: part(4_222) });
  expect(findServers(dataDir, 'analytics')).toEqual({
    databaseUrl: `postgres://billing_analytics:${rolePasswords.analytics}@127.0.0.1:5432/billing`,
    natsUrl: `nats://analytics:${natsPasswords.analytics}@127.0.0.1:4222?api=EVENTS.API`,
  });
});

it('returns what a command for operators needs', () => {
  writePids({ postgres: part(5_432), nats: part(4_222) });
  const { databaseUrl, natsUrl } = findServers(dataDir, 'gateway');
  expect(findCommandVariables(dataDir, 'gateway')).toEqual({
    DATABASE_URL: databaseUrl,
    NATS_URL: natsUrl,
    PUBLIC_URL: publicUrl,
  });
  expect(findCommandVariables(dataDir, 'webhooks')['CREDENTIALS_KEYS']).toMatch(/^file:.*credentials-keys$/);
});

it('says what to do when no system runs or its servers are external', () => {
  expect(() => findServers(dataDir, 'analytics')).toThrow('Run npm start');
  writePids({ nats: part(4_222) });
  expect(() => findServers(dataDir, 'analytics')).toThrow('Set DATABASE_URL and NATS_URL');
});
