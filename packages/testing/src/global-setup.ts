import { startTestServers } from './servers.ts';

/**
 * Vitest's global setup: sets TEST_DATABASE_URL and TEST_NATS_URL for the tests. When both are set already, those servers
 * are used; otherwise servers are started for this run and stopped after it.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env['TEST_DATABASE_URL'] !== undefined && process.env['TEST_NATS_URL'] !== undefined) return undefined;
  const servers = await startTestServers();
  process.env['TEST_DATABASE_URL'] = servers.databaseUrl;
  process.env['TEST_NATS_URL'] = servers.natsUrl;
  return async () => {
    delete process.env['TEST_DATABASE_URL'];
    delete process.env['TEST_NATS_URL'];
    await servers.stop();
  };
}
