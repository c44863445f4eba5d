import { mkdir, rename, rm, writeFile, chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { SERVICES, type ServiceName } from '@billing/contracts/operation';
import { roleOf, schemasOf } from '@billing/database/provision';
import { StartError } from '@billing/database/start-error';
import type { Client } from 'pg';
import { connectAdmin, serverMajorOf } from './admin-connection.ts';
import { manifestOf, sha256Of, type Manifest } from './manifest.ts';
import { findPostgresTools, runTool, type PostgresTools } from './postgres-tools.ts';

interface BackupOptions {
  /** Names the database and a role that can read every schema of the system. */
  readonly adminUrl: string;
  /** The folder to create; it must not exist. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Adds files that are no part of the database; runs after the moment of which the backup is. */
  readonly saveSecrets: (folder: string) => Promise<void>;
  readonly report: (line: string) => void;
}

/** One file of the backup: the schemas of a service, or those that webhooks creates for teams. */
interface Dump {
  readonly service: ServiceName;
  readonly name: string;
  readonly patterns: readonly string[];
  readonly schemas: readonly string[];
}

/** The schemas with the raw objects of teams, as pg_dump matches names. */
const TEAM_SCHEMAS = 'team_*';

/**
 * Writes a backup of the whole system while it runs, as of one moment: every dump reads the same snapshot. The folder gets
 * its name when everything is in it.
 * @throws StartError when the database can't be read, or pg_dump is older than the server
 */
export async function takeBackup(options: BackupOptions): Promise<Manifest> {
  const { adminUrl, folder, env, saveSecrets, report } = options;
  const client = await connectAdmin(adminUrl);
  const unfinished = `${folder}.unfinished`;
  try {
    const postgres = await serverMajorOf(client);
    const tools = await findPostgresTools(postgres, env);
    await mkdir(unfinished, { recursive: true, mode: 0o700 });
    const { snapshot, takenAt } = await openSnapshot(client);
    const dumps: Manifest['dumps'] = [];
    for (const dump of await planDumps(client)) {
      dumps.push(await writeDump(dump, { tools, adminUrl, snapshot, folder: unfinished }));
      report(`${dump.name} saved`);
    }
    await client.query('commit');
    await saveSecrets(unfinished);
    const manifest: Manifest = { format: 1, takenAt, postgres, pgDump: tools.major, dumps };
    await writeFile(...manifestOf(unfinished, manifest), { mode: 0o600 });
    await rename(unfinished, folder);
    return manifest;
  } finally {
    await client.end();
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** Opens a transaction whose snapshot other connections can read from until the client ends it. */
async function openSnapshot(client: Client): Promise<{ snapshot: string; takenAt: Date }> {
  await client.query('begin isolation level repeatable read read only');
  const { rows } = await client.query<{ snapshot: string; taken_at: Date }>(
    'select pg_export_snapshot() as snapshot, clock_timestamp() as taken_at',
  );
  const [row] = rows;
  if (!row) throw new StartError('PostgreSQL exported no snapshot.');
  return { snapshot: row.snapshot, takenAt: row.taken_at };
}

/** @throws StartError when a service has no schema */
async function planDumps(client: Client): Promise<Dump[]> {
  const { rows } = await client.query<{ schema: string; role: string }>(
    'select nspname as schema, pg_get_userbyid(nspowner) as role from pg_namespace',
  );
  const exists = new Set(rows.map(({ schema }) => schema));
  const missing = SERVICES.flatMap(schemasOf).find(schema => !exists.has(schema));
  if (missing) throw new StartError(`The database has no schema ${missing}: is it the system's, and has it started?`);
  const ofServices = SERVICES.map((service): Dump => {
    const schemas = schemasOf(service);
    return { service, name: service, patterns: schemas, schemas };
  });
  const hasTeams = rows.some(({ schema, role }) => role === roleOf('webhooks') && schema.startsWith('team_'));
  const ofTeams: Dump = { service: 'webhooks', name: 'webhooks-teams', patterns: [TEAM_SCHEMAS], schemas: [] };
  return hasTeams ? [...ofServices, ofTeams] : ofServices;
}

async function writeDump(
  { service, name, patterns, schemas }: Dump,
  options: { tools: PostgresTools; adminUrl: string; snapshot: string; folder: string },
): Promise<Manifest['dumps'][number]> {
  const { tools, adminUrl, snapshot, folder } = options;
  const file = `${name}.dump`;
  const path = join(folder, file);
  const args = ['--format=custom', `--snapshot=${snapshot}`, `--file=${path}`];
  await runTool(tools.pgDump, [...args, ...patterns.map(pattern => `--schema=${pattern}`)], adminUrl);
  await chmod(path, 0o600);
  return { file, service, schemas: [...schemas], sha256: await sha256Of(path) };
}
