import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceName } from '@billing/contracts/operation';
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

/** Reads the secrets of the running system. */
export async function readSecrets(): Promise<Secrets> {
  // Written by the local system in this shape.
  return JSON.parse(await readFile(join(inject('dataDir'), 'secrets.json'), 'utf8')) as Secrets;
}

/** Returns the address of a part of the running system, as `host:port`. */
export async function addressOf(part: string): Promise<string> {
  const { url } = (await readPids(inject('dataDir'))).parts[part] ?? {};
  if (url === undefined) throw new Error(`${part} is not running.`);
  return new URL(url).host;
}

/** Returns the URL of the database for its superuser. */
export async function superuserUrl(): Promise<string> {
  const [{ postgresPassword }, address] = await Promise.all([readSecrets(), addressOf('postgres')]);
  return `postgres://postgres:${postgresPassword}@${address}/billing`;
}
