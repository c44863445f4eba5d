import { SERVICES, type ServiceName } from '@billing/contracts/operation';
import { natsPasswordVariable, passwordVariable, type Secrets } from '@billing/local-system/secrets';
import { Secret } from 'kubernetes-models/v1/Secret';
import { ADMIN_SECRET, PROCESSOR_SERVICES, secretOf } from './names.ts';

/** Where the stores are, with their administrators. */
export interface Stores {
  /** `postgres://postgres:password@host:5432/billing` */
  readonly adminDatabaseUrl: string;
  /** `nats://admin:password@host:4222` */
  readonly adminNatsUrl: string;
}

/**
 * Returns the Secrets that `deploy/kubernetes` refers to: each service has what it alone needs, and only provisioning has the
 * administrators' passwords.
 */
export function secretObjects(secrets: Secrets, stores: Stores): Secret[] {
  const services = SERVICES.map(
    service => new Secret({ metadata: { name: secretOf(service) }, stringData: variablesOf(service, secrets, stores) }),
  );
  const passwords = SERVICES.map(service => [passwordVariable(service), secrets.rolePasswords[service]]);
  const admin = { ADMIN_DATABASE_URL: stores.adminDatabaseUrl, ADMIN_NATS_URL: stores.adminNatsUrl };
  return [
    ...services,
    new Secret({ metadata: { name: ADMIN_SECRET }, stringData: { ...admin, ...Object.fromEntries(passwords) } }),
  ];
}

/** The variables that nats-server.conf reads. */
export const natsVariables = (secrets: Secrets): Record<string, string> => ({
  NATS_PASSWORD: secrets.natsPassword,
  ...Object.fromEntries(SERVICES.map(service => [natsPasswordVariable(service), secrets.natsPasswords[service]])),
});

function variablesOf(service: ServiceName, secrets: Secrets, stores: Stores): Record<string, string> {
  return {
    DATABASE_URL: asUser(stores.adminDatabaseUrl, `billing_${service}`, secrets.rolePasswords[service]),
    NATS_URL: asUser(stores.adminNatsUrl, service, secrets.natsPasswords[service], { api: 'EVENTS.API' }),
    IDENTITY_PUBLIC_KEY: secrets.identityPublicKey,
    ...(PROCESSOR_SERVICES.includes(service) && { SERVICE_KEY: secrets.serviceKeys[service] }),
    ...(service === 'gateway' && {
      IDENTITY_PRIVATE_KEY: secrets.identityPrivateKey,
      AUTH_SECRET: secrets.authSecret,
    }),
    ...(service === 'webhooks' && {
      CREDENTIALS_KEYS: `1:${secrets.credentialsKey}`,
      SERVICE_KEYS: PROCESSOR_SERVICES.map(name => `${name}:${secrets.serviceKeys[name]}`).join(','),
    }),
  };
}

/** Returns a URL for another user, with its parameters and these. */
function asUser(url: string, user: string, password: string, parameters: Record<string, string> = {}): string {
  const changed = new URL(url);
  Object.assign(changed, { username: user, password });
  for (const [name, value] of Object.entries(parameters)) changed.searchParams.set(name, value);
  return changed.href;
}
