// Prints an `.env` file with new secrets for docker-compose.yml. Run it once and keep the file: the data in the volumes
// can't be opened without it.
//   node tools/local-system/src/compose/write-env.ts > .env
import { SERVICES } from '@billing/contracts/operation';
import { createSecrets, passwordVariable } from '../secrets.ts';

const { postgresPassword, natsPassword, rolePasswords, authSecret, credentialsKey, ...identity } = createSecrets();
const variables: Record<string, string> = {
  POSTGRES_PASSWORD: postgresPassword,
  NATS_PASSWORD: natsPassword,
  AUTH_SECRET: authSecret,
  CREDENTIALS_KEY: credentialsKey,
  IDENTITY_PUBLIC_KEY: identity.identityPublicKey,
  IDENTITY_PRIVATE_KEY: identity.identityPrivateKey,
  ...Object.fromEntries(SERVICES.map(service => [passwordVariable(service), rolePasswords[service]])),
};
for (const [name, value] of Object.entries(variables)) console.log(`${name}=${value}`);
