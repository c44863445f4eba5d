import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestServers, type TestServers } from './servers.ts';

/**
 * Vitest's global setup: sets TEST_DATABASE_URL and TEST_NATS_URL for the tests, and a temporary folder that is removed after
 * them. When both are set already, those servers are used; otherwise servers are started for this run and stopped after it.
 */
export async function setup(): Promise<() => Promise<void>> {
  const servers = await openTestServers();
  const temporary = await mkdtemp(join(tmpdir(), 'billing-tests-'));
  // An interrupted run ends without its teardown.
  process.once('exit', () => rmSync(temporary, { recursive: true, force: true }));
  const before = setEnv({ TEST_DATABASE_URL: servers.databaseUrl, TEST_NATS_URL: servers.natsUrl, TMPDIR: temporary });
  return async () => {
    setEnv(before);
    await servers.stop();
    await rm(temporary, { recursive: true, force: true, maxRetries: 5 });
  };
}

async function openTestServers(): Promise<TestServers> {
  const { TEST_DATABASE_URL: databaseUrl, TEST_NATS_URL: natsUrl } = process.env;
  if (databaseUrl !== undefined && natsUrl !== undefined) return { databaseUrl, natsUrl, stop: async () => {} };
  return startTestServers();
}

/** Sets variables, or unsets them; returns what they were. */
function setEnv(variables: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  const before = Object.fromEntries(Object.keys(variables).map(name => [name, process.env[name]]));
  for (const [name, value] of Object.entries(variables))
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  return before;
}
