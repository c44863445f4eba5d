import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceName } from '@billing/contracts/operation';
import { Client } from 'pg';
import { inject } from 'vitest';
import { readPids } from './running-system.ts';

/** The secrets of a data folder that tests use to act as one of the services, or as the operator. */
interface Secrets {
  readonly postgresPassword: string;
  readonly natsPassword: string;
  readonly natsPasswords: Readonly<Record<ServiceName, string>>;
  readonly rolePasswords: Readonly<Record<ServiceName, string>>;
  /** PEM, in base64. */
  readonly identityPublicKey: string;
  readonly identityPrivateKey: string;
}

/** Reads the secrets of a system, unless given the shared one. */
export async function readSecrets(dataDir = inject('dataDir')): Promise<Secrets> {
  // Written by the local system in this shape.
  return JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8')) as Secrets;
}

/** Returns the address of a part of a system, as `host:port`. */
export async function addressOf(part: string, dataDir = inject('dataDir')): Promise<string> {
  const { url } = (await readPids(dataDir)).parts[part] ?? {};
  if (url === undefined) throw new Error(`${part} is not running.`);
  return new URL(url).host;
}

/** Returns the URL of a system's database for its superuser. */
export async function superuserUrl(dataDir = inject('dataDir')): Promise<string> {
  const [{ postgresPassword }, address] = await Promise.all([readSecrets(dataDir), addressOf('postgres', dataDir)]);
  return `postgres://postgres:${postgresPassword}@${address}/billing`;
}

/** Does work over a connection to a database, which is closed in the end. */
export async function withClient<Result>(
  connectionString: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString });
  try {
    await client.connect();
    return await work(client);
  } finally {
    // Also where it has no password: PostgreSQL would wait a minute for one, and log an error.
    await client.end();
  }
}
