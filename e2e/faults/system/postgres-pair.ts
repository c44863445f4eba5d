import { execFile } from 'node:child_process';
import { appendFile, chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startPostgres } from '@billing/embedded-servers/postgres';
import { startProcessGuard } from '@billing/embedded-servers/process-guard';
import { waitFor } from '@billing/testing/wait-for';
import { Client } from 'pg';

const PASSWORD = 'pair';
const DATABASE = 'billing';

/** A PostgreSQL server and a standby that has every transaction before it is acknowledged. */
export interface PostgresPair extends AsyncDisposable {
  /** The superuser's URL of the primary for the database. */
  readonly adminUrl: string;
  /** Kills the primary at once, makes the standby the primary, and returns its port. */
  failOver(): Promise<number>;
}

/** Starts the pair, and waits until commits wait for the standby. */
export async function startPostgresPair(): Promise<PostgresPair> {
  await using resources = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'billing-postgres-pair-'));
  // PostgreSQL may run as another user, who needs access to the folder.
  await chmod(folder, 0o755);
  resources.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const guard = resources.adopt(startProcessGuard(), it => it.close());
  const start = (name: string) =>
    startPostgres({
      dataDir: join(folder, name),
      logFile: join(folder, `${name}.log`),
      password: PASSWORD,
      guard,
      settings: { wal_keep_size: '1GB' },
    });

  const primary = await start('primary');
  resources.defer(() => primary.stop());
  await withClient(primary.url, client => client.query(`create database ${DATABASE}`));
  await copyCluster(primary.url, join(folder, 'primary'), join(folder, 'standby'), primary.port);
  const standby = await start('standby');
  resources.defer(() => standby.stop());
  await withClient(primary.url, async client => {
    await client.query(`alter system set synchronous_standby_names = '*'`);
    await client.query('select pg_reload_conf()');
    const isSynchronous = async () =>
      (await client.query(`select from pg_stat_replication where sync_state = 'sync'`)).rowCount === 1;
    await waitFor(isSynchronous, { what: 'the standby to be synchronous' });
  });

  const owned = resources.move();
  return {
    adminUrl: primary.url.replace(/\/postgres$/, `/${DATABASE}`),
    async failOver() {
      process.kill(primary.pid, 'SIGQUIT');
      await primary.exited;
      await withClient(standby.url, client => client.query('select pg_promote()'));
      return standby.port;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Copies a running server's data folder, as pg_basebackup does, and makes the copy a standby of it. */
async function copyCluster(url: string, from: string, to: string, port: number): Promise<void> {
  await withClient(url, async client => {
    await client.query(`select pg_backup_start('standby', true)`);
    await promisify(execFile)('cp', ['-a', from, to]);
    const { rows } = await client.query<{ label: string }>('select labelfile as label from pg_backup_stop()');
    await writeFile(join(to, 'backup_label'), rows[0]?.label ?? '');
  });
  await rm(join(to, 'postmaster.pid'));
  await writeFile(join(to, 'standby.signal'), '');
  const connection = `host=127.0.0.1 port=${port} user=postgres password=${PASSWORD} application_name=standby`;
  await appendFile(join(to, 'postgresql.auto.conf'), `primary_conninfo = '${connection}'\n`);
  await promisify(execFile)('chown', ['--reference', from, '-R', to]);
}

async function withClient<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
