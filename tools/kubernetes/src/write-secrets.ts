// Writes new Secrets for deploy/kubernetes to a file that only its owner can read, outside of this folder: what is in here ends in
// an image or in git. Run it once and keep the file: the data can't be opened without it.
//   ADMIN_DATABASE_URL=postgres://… ADMIN_NATS_URL=nats://… npm run kubernetes:secrets [-- <file>]
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { StartError } from '@billing/database/start-error';
import { createSecrets } from '@billing/local-system/secrets';
import { parseEnv } from '@billing/service/env';
import { Secret } from 'kubernetes-models/v1/Secret';
import { z } from 'zod';
import { writePrivateFile } from './private-file.ts';
import { natsVariables, secretObjects } from './secrets.ts';
import { toYaml } from './to-yaml.ts';

const ROOT = join(import.meta.dirname, '../../..');

function main([file = join(homedir(), 'billing-secrets.yaml'), ...rest]: readonly string[]): void {
  if (rest.length > 0) throw new StartError('Usage: npm run kubernetes:secrets [-- <file>]');
  const { ADMIN_DATABASE_URL: adminDatabaseUrl, ADMIN_NATS_URL: natsUrl } = parseEnv(
    z.object({ ADMIN_DATABASE_URL: z.url(), ADMIN_NATS_URL: z.url() }),
  );
  const secrets = createSecrets();
  const adminNatsUrl = new URL(natsUrl);
  Object.assign(adminNatsUrl, { username: 'admin', password: secrets.natsPassword });
  const objects = secretObjects(secrets, { adminDatabaseUrl, adminNatsUrl: adminNatsUrl.href });
  const ofNats = new Secret({ metadata: { name: 'billing-nats' }, stringData: natsVariables(secrets) });
  // npm runs scripts in this folder; a path is meant from where the command was given.
  const path = resolve(process.env['INIT_CWD'] ?? '.', file);
  writePrivateFile(path, toYaml([...objects, ofNats]), { outside: ROOT });
  console.log(`The secrets are in ${path}: kubectl apply -n billing -f ${path}. Keep it, or seal it.`);
}

try {
  main(process.argv.slice(2));
} catch (err) {
  console.error(err instanceof Error ? err.message : err);
  process.exitCode = 1;
}
