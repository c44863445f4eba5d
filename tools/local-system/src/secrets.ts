import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICES } from '@billing/contracts/operation';
import { StartError } from '@billing/service/start-error';
import { z } from 'zod';

const secrets = z.object({
  /** Of PostgreSQL's superuser. */
  postgresPassword: z.string().min(1),
  natsPassword: z.string().min(1),
  /** Of each service's own role. */
  rolePasswords: z.record(z.enum(SERVICES), z.string().min(1)),
  /** Signs sessions. */
  authSecret: z.string().min(32),
  /** 32 bytes, base64: encrypts the teams' processor credentials. */
  credentialsKey: z.base64(),
  /** Ed25519: the gateway signs who asks, the services verify. PEM, in base64 so that it is one line. */
  identityPublicKey: z.base64(),
  identityPrivateKey: z.base64(),
});
export type Secrets = z.output<typeof secrets>;

/**
 * The secrets of a data folder: made at its first start, the same ever after, readable by their owner only.
 * @throws StartError when the file is damaged; without it the data can't be opened.
 */
export function loadSecrets(dataDir: string): Secrets {
  const file = join(dataDir, 'secrets.json');
  if (!existsSync(file)) return keep(file, createSecrets());
  try {
    return secrets.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    throw new StartError(
      `${file} can't be read as the secrets of this data folder. Restore it, or remove the whole folder ${dataDir} to start afresh.`,
    );
  }
}

/** New random secrets for one system. */
export function createSecrets(): Secrets {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return {
    postgresPassword: randomText(),
    natsPassword: randomText(),
    rolePasswords: secrets.shape.rolePasswords.parse(Object.fromEntries(SERVICES.map(name => [name, randomText()]))),
    authSecret: randomText(),
    credentialsKey: randomBytes(32).toString('base64'),
    identityPublicKey: Buffer.from(publicKey).toString('base64'),
    identityPrivateKey: Buffer.from(privateKey).toString('base64'),
  };
}

/** Written beside its place and moved, so that a crash leaves either no file or a whole one. */
function keep(file: string, value: Secrets): Secrets {
  writeFileSync(`${file}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return value;
}

/** 256 bits that need no escaping in a URL or a configuration file. */
function randomText(): string {
  return randomBytes(32).toString('hex');
}
