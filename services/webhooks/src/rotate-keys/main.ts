// Rotates the master key of the teams' secrets while everything runs; docs/operations.md says how.
import { migrate } from '@billing/database/database';
import { openOutbox } from '@billing/messaging/outbox';
import { keyFileOf, openKeyRing } from '@billing/processor/key-ring';
import { parseEnv, serviceEnv } from '@billing/service/env';
import { openServiceDatabase } from '@billing/service/service-database';
import { z } from 'zod';
import { hasOldSecrets, resealSecrets } from '#accounts/reseal-secrets';
import { webhooksSchema } from '../schema.ts';
import { addMasterKey } from './add-master-key.ts';

const environment = serviceEnv.pick({ DATABASE_URL: true }).extend({ CREDENTIALS_KEYS: z.string().min(1) });

async function main(): Promise<void> {
  const { DATABASE_URL: databaseUrl, CREDENTIALS_KEYS: keys } = parseEnv(environment);
  await using resources = new AsyncDisposableStack();
  const database = resources.adopt(openServiceDatabase('webhooks', webhooksSchema, databaseUrl), it => it.close());
  await migrate(database);

  const file = keyFileOf(keys);
  const known = openKeyRing(keys)();
  // Secrets of an older version are a rotation that was not finished: it goes on with the key that there is.
  const isUnfinished = await hasOldSecrets(database.em, known);
  const ring = file === undefined || isUnfinished ? known : addMasterKey(file);
  const { resealed, unopened } = await resealSecrets(openOutbox(database.em), ring);
  console.log(`${resealed} secrets sealed with version ${ring.current} of the master key`);
  for (const { teamId, kind } of unopened) console.error(`the ${kind} of ${teamId} does not open and stays as it is`);
  if (unopened.length > 0) throw new Error(`${unopened.length} secrets do not open; connect those teams again.`);
  if (await hasOldSecrets(database.em, ring)) throw new Error('Secrets were saved meanwhile; run the command again.');
  const old = [...ring.keys.keys()].filter(version => version !== ring.current);
  if (old.length > 0) console.log(`no secret needs version ${old.join(', ')} any more; backups of before do`);
}

try {
  await main();
} catch (err) {
  process.stderr.write(`keys:rotate: ${err instanceof Error ? err.message : String(err)}\n`);
  process.exitCode = 1;
}
