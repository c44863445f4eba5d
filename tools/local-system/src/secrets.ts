import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICES, type ServiceName } from '@billing/contracts/operation';
import { StartError } from '@billing/database/start-error';
import { z } from 'zod';

const secrets = z.object({
  /** Password of PostgreSQL's superuser. */
  postgresPassword: z.string().min(1),
  /** Password of the user that creates the stream. */
  natsPassword: z.string().min(1),
  /** Password of each service's user of NATS. */
  natsPasswords: z.record(z.enum(SERVICES), z.string().min(1)),
  /** Password of each service's database role. */
  rolePasswords: z.record(z.enum(SERVICES), z.string().min(1)),
  /** Signs session cookies. */
  authSecret: z.string().min(32),
  /** The first master key of the teams' processor credentials; 32 bytes in base64. */
  credentialsKey: z.base64(),
  /** Each service's own key, for what the webhooks service seals for it; 32 bytes in base64. */
  serviceKeys: z.record(z.enum(SERVICES), z.base64()),
  /** Ed25519 key pair: the gateway signs identity tokens, the services verify them. PEM, in base64 to fit one line. */
  identityPublicKey: z.base64(),
  identityPrivateKey: z.base64(),
});
export type Secrets = z.output<typeof secrets>;

/**
 * Returns the secrets of a data folder, in a file that only its owner can read. The first start creates them.
 * @throws StartError when the file is damaged; the data can't be opened without it
 */
export function loadSecrets(dataDir: string): Secrets {
  const file = join(dataDir, 'secrets.json');
  if (!existsSync(file)) return save(file, createSecrets());
  try {
    return secrets.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    throw new StartError(
      `${file} can't be read as the secrets of this data folder. Restore it, or remove the whole folder ${dataDir} to start afresh.`,
    );
  }
}

/** Returns new random secrets for one system. */
export function createSecrets(): Secrets {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return {
    postgresPassword: randomText(),
    natsPassword: randomText(),
    natsPasswords: ofEachService(randomText),
    rolePasswords: ofEachService(randomText),
    authSecret: randomText(),
    credentialsKey: randomKey(),
    serviceKeys: ofEachService(randomKey),
    identityPublicKey: Buffer.from(publicKey).toString('base64'),
    identityPrivateKey: Buffer.from(privateKey).toString('base64'),
  };
}

/** Writes a temporary file and renames it, so that a crash leaves either no file or a complete one. */
function save(file: string, value: Secrets): Secrets {
  writeFileSync(`${file}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return value;
}

/**
 * Returns 256 random bits in hex, which need no escaping in a URL or a configuration file. The letter before them keeps
 * NATS from reading a variable's value as a number.
 */
function randomText(): string {
  return `s${randomBytes(32).toString('hex')}`;
}

const randomKey = (): string => randomBytes(32).toString('base64');

const ofEachService = (create: () => string): Record<ServiceName, string> =>
  Object.fromEntries(SERVICES.map(name => [name, create()])) as Record<ServiceName, string>; // has every name

/** The environment variable for the password of a service's database role: `CATALOG_DATABASE_PASSWORD`. */
export const passwordVariable = (service: ServiceName): string => `${service.toUpperCase()}_DATABASE_PASSWORD`;

/** The environment variable for the password of a service's user of NATS: `CATALOG_NATS_PASSWORD`. */
export const natsPasswordVariable = (service: ServiceName): string => `${service.toUpperCase()}_NATS_PASSWORD`;

/** The environment variable for a service's own key: `CATALOG_SERVICE_KEY`. */
export const serviceKeyVariable = (service: ServiceName): string => `${service.toUpperCase()}_SERVICE_KEY`;
