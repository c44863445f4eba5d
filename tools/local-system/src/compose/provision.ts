// Creates every service's role and schema in the database of ADMIN_DATABASE_URL. It may run any number of times.
import { SERVICES } from '@billing/contracts/operation';
import { parseEnv } from '@billing/service/env';
import { provisionAll } from '@billing/database/provision';
import { z } from 'zod';
import { requireDatabase } from '../backing-services.ts';
import { passwordVariable } from '../secrets.ts';

const passwords = Object.fromEntries(SERVICES.map(service => [passwordVariable(service), z.string().min(1)]));

try {
  const { ADMIN_DATABASE_URL: adminUrl } = parseEnv(z.object({ ADMIN_DATABASE_URL: z.url() }));
  const passwordOf = parseEnv(z.object(passwords));
  await requireDatabase(adminUrl, 'ADMIN_DATABASE_URL');
  await provisionAll(adminUrl, service => passwordOf[passwordVariable(service)] ?? '');
  console.log(`provisioned ${SERVICES.join(', ')}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
