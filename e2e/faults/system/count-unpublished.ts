import { SERVICES } from '@billing/contracts/operation';
import { findServers } from '@billing/local-system/running-system';
import { withClient } from '../../system/servers.ts';
import type { FaultySystem } from './faulty-system.ts';

/** Analytics publishes no events. */
const PUBLISHERS = SERVICES.filter(service => service !== 'analytics');

/** Counts the outbox rows of all services that are not published yet. Uses SQL because no HTTP response shows them. */
export async function countUnpublished({ dataDir }: FaultySystem): Promise<number> {
  const counts = await Promise.all(
    PUBLISHERS.map(service =>
      withClient(findServers(dataDir, service).databaseUrl, async client => {
        const { rows } = await client.query(`select from ${service}.outbox_messages where published_at is null`);
        return rows.length;
      }),
    ),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
