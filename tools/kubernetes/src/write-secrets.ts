// Prints new Secrets for deploy/kubernetes. Run it once and keep them: the data can't be opened without them.
//   ADMIN_DATABASE_URL=postgres://… ADMIN_NATS_URL=nats://… npm run -s kubernetes:secrets | kubectl apply -f -
import { createSecrets } from '@billing/local-system/secrets';
import { parseEnv } from '@billing/service/env';
import { Secret } from 'kubernetes-models/v1/Secret';
import { z } from 'zod';
import { natsVariables, secretObjects } from './secrets.ts';
import { toYaml } from './to-yaml.ts';

const { ADMIN_DATABASE_URL: adminDatabaseUrl, ADMIN_NATS_URL: natsUrl } = parseEnv(
  z.object({ ADMIN_DATABASE_URL: z.url(), ADMIN_NATS_URL: z.url() }),
);
const secrets = createSecrets();
const adminNatsUrl = new URL(natsUrl);
Object.assign(adminNatsUrl, { username: 'admin', password: secrets.natsPassword });
const objects = secretObjects(secrets, { adminDatabaseUrl, adminNatsUrl: adminNatsUrl.href });
const ofNats = new Secret({ metadata: { name: 'billing-nats' }, stringData: natsVariables(secrets) });
process.stdout.write(toYaml([...objects, ofNats]));
