// Prints an `.env` file with new secrets for docker-compose.yml. Run it once and keep the file: the data in the volumes
// can't be opened without it.
//   npx node tools/local-system/src/compose/write-env.ts > .env
import { fchmodSync, fstatSync } from 'node:fs';
import { callersOf } from '@billing/contracts/bus-access';
import { SERVICES } from '@billing/contracts/operation';
import { FindProcessorCredentials } from '@billing/contracts/rpc/calls';
import { createSecrets, natsPasswordVariable, passwordVariable, serviceKeyVariable } from '../secrets.ts';

const secrets = createSecrets();
const variables: Record<string, string> = {
  POSTGRES_PASSWORD: secrets.postgresPassword,
  NATS_PASSWORD: secrets.natsPassword,
  AUTH_SECRET: secrets.authSecret,
  CREDENTIALS_KEY: secrets.credentialsKey,
  IDENTITY_PUBLIC_KEY: secrets.identityPublicKey,
  IDENTITY_PRIVATE_KEY: secrets.identityPrivateKey,
  ...Object.fromEntries(SERVICES.map(service => [passwordVariable(service), secrets.rolePasswords[service]])),
  ...Object.fromEntries(SERVICES.map(service => [natsPasswordVariable(service), secrets.natsPasswords[service]])),
  ...Object.fromEntries(
    callersOf(FindProcessorCredentials).map(service => [serviceKeyVariable(service), secrets.serviceKeys[service]]),
  ),
  // The local processor in place of Stripe; without these two it is Stripe itself.
  COMPOSE_PROFILES: 'local-processor',
  STRIPE_API_BASE_URL: 'http://processor:12111',
};
// The shell has made the file, which others may read.
if (fstatSync(1).isFile()) fchmodSync(1, 0o600);
for (const [name, value] of Object.entries(variables)) console.log(`${name}=${value}`);
