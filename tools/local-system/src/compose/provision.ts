// Creates every service's role and schema in the database of ADMIN_DATABASE_URL, and the stream of all events in the NATS
// of ADMIN_NATS_URL, on NATS_REPLICAS of its servers. It may run any number of times.
import { setTimeout as delay } from 'node:timers/promises';
import { SERVICES } from '@billing/contracts/operation';
import { natsUrl as natsAddress, parseEnv, postgresUrl } from '@billing/service/env';
import { provisionAll } from '@billing/database/provision';
import { z } from 'zod';
import { provisionStream, requireDatabase } from '../backing-services.ts';
import { passwordVariable } from '../secrets.ts';

const passwords = Object.fromEntries(SERVICES.map(service => [passwordVariable(service), z.string().min(1)]));

/** NATS has no health check of its own, so it may still be starting: tried for half a minute. */
async function whileStarting(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === 30) throw error;
      await delay(1_000);
    }
  }
}

try {
  const {
    ADMIN_DATABASE_URL: adminUrl,
    ADMIN_NATS_URL: natsUrl,
    NATS_REPLICAS: replicas,
  } = parseEnv(
    z.object({
      ADMIN_DATABASE_URL: postgresUrl,
      ADMIN_NATS_URL: natsAddress,
      NATS_REPLICAS: z.coerce.number().int().min(1).max(5).optional(),
    }),
  );
  const passwordOf = parseEnv(z.object(passwords));
  await requireDatabase(adminUrl, 'ADMIN_DATABASE_URL');
  await provisionAll(adminUrl, service => passwordOf[passwordVariable(service)] ?? '');
  await whileStarting(() => provisionStream(natsUrl, replicas));
  console.log(`provisioned ${SERVICES.join(', ')} and the stream`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
