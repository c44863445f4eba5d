import { SERVICES } from '@billing/contracts/operation';
import { findServers } from '@billing/local-system/running-system';
import { Client } from 'pg';
import type { FaultySystem } from './faulty-system.ts';

/** Analytics tells nothing. */
const TELLING = SERVICES.filter(service => service !== 'analytics');

/** How many facts no service has published yet, which no answer of theirs shows. */
export async function countUnpublished({ dataDir }: FaultySystem): Promise<number> {
  const counts = await Promise.all(TELLING.map(service => countIn(findServers(dataDir, service).databaseUrl, service)));
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
