import { chmod, chown, copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNats } from '@billing/embedded-servers/nats';
import { startPostgres } from '@billing/embedded-servers/postgres';
import { startProcessGuard } from '@billing/embedded-servers/process-guard';
import { Client } from 'pg';

/**
 * Returns the path of a file in PEM form: `ca.crt` signed the certificates of the server, which is for the name `localhost`
 * alone, and of the client; `other-ca.crt` signed nothing. They are valid for a hundred years.
 */
export const certificate = (
  name: 'ca.crt' | 'other-ca.crt' | 'server.crt' | 'server.key' | 'client.crt' | 'client.key',
): string => join(import.meta.dirname, '../certificates', name);

interface TlsServer extends AsyncDisposable {
  readonly port: number;
  /** Of the only user. */
  readonly password: string;
}

interface TlsPostgres extends TlsServer {
  /** The folder of its socket. */
  readonly socketFolder: string;
}

const password = 'secret';

/** Starts a PostgreSQL that speaks TLS with whoever asks for it, with the user `postgres`. */
export async function startTlsPostgres(): Promise<TlsPostgres> {
  await using resources = new AsyncDisposableStack();
  const { folder, guard } = await openFolder(resources);
  const dataDir = join(folder, 'postgres');
  const logFile = join(folder, 'postgres.log');
  const settings = { unix_socket_directories: dataDir };
  const server = await startPostgres({ dataDir, logFile, password, guard, durable: false, settings });
  resources.defer(() => server.stop());
  const { uid, gid } = await stat(dataDir);
  for (const [from, to] of [
    ['server.crt', 'server.crt'],
    ['server.key', 'server.key'],
    ['ca.crt', 'root.crt'],
  ] as const) {
    await copyFile(certificate(from), join(dataDir, to));
    await chown(join(dataDir, to), uid, gid);
    // PostgreSQL takes no key that others can read.
    await chmod(join(dataDir, to), 0o600);
  }
  const client = new Client({ connectionString: server.url });
  await client.connect();
  await client.query(`alter system set ssl_ca_file = 'root.crt'`);
  await client.query('alter system set ssl = on');
  await client.query('select pg_reload_conf()');
  await client.end();
  return { ...own(resources, server.port), socketFolder: dataDir };
}

/** Starts a nats-server that refuses connections without TLS, with the user `billing`. */
export async function startTlsNats(): Promise<TlsServer> {
  await using resources = new AsyncDisposableStack();
  const { folder, guard } = await openFolder(resources);
  const accounts = [
    `authorization { user: billing, password: ${password} }`,
    `tls { cert_file: ${JSON.stringify(certificate('server.crt'))}, key_file: ${JSON.stringify(certificate('server.key'))} }`,
  ].join('\n');
  const options = { storeDir: join(folder, 'nats'), logFile: join(folder, 'nats.log'), password, accounts, guard };
  const server = await startNats({ ...options, durable: false });
  resources.defer(() => server.stop());
  return own(resources, server.port);
}

async function openFolder(resources: AsyncDisposableStack) {
  const folder = await mkdtemp(join(tmpdir(), 'billing-tls-'));
  resources.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const guard = resources.adopt(startProcessGuard(), it => it.close());
  return { folder, guard };
}

function own(resources: AsyncDisposableStack, port: number): TlsServer {
  const owned = resources.move();
  return { port, password, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
