import { SERVICES } from '@billing/contracts/operation';
import { findServers } from '@billing/local-system/running-system';
import { Client } from 'pg';
import type { FaultySystem } from './faulty-system.ts';

/** Analytics publishes no events. */
const PUBLISHERS = SERVICES.filter(service => service !== 'analytics');

/** Counts the outbox rows of all services that are not published yet. Uses SQL because no HTTP response shows them. */
export async function countUnpublished({ dataDir }: FaultySystem): Promise<number> {
  const counts = await Promise.all(
    PUBLISHERS.map(service => countIn(findServers(dataDir, service).databaseUrl, service)),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

async function countIn(databaseUrl: string, schema: string): Promise<number> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query(`select 1 from ${schema}.outbox_events where published_at is null`);
    return rowCount ?? 0;
  } finally {
    await client.end();
  }
}
