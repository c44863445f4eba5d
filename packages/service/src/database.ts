import { MikroORM, type AnyEntity, type EntityClass, type EntitySchema } from '@mikro-orm/postgresql';
import { Migrator, type Migration } from '@mikro-orm/migrations';
import type { ServiceName } from '@billing/contracts/operation';
import { closeSilentConnections, releaseDeadConnections } from './dead-connections.ts';
import { StartError } from './start-error.ts';

type MigrationClass = new (...args: ConstructorParameters<typeof Migration>) => Migration;

/** A migration and the name under which it is remembered. */
export interface NamedMigration {
  readonly name: string;
  readonly class: MigrationClass;
}

interface DatabaseOptions {
  readonly service: ServiceName;
  /** The service's own role. */
  readonly url: string;
  readonly entities: readonly (EntityClass<AnyEntity> | EntitySchema)[];
  readonly migrations: readonly NamedMigration[];
  /** Connections this process may hold. */
  readonly poolSize?: number;
}

/** Longest a statement may take, in milliseconds; migrations may take longer. */
const STATEMENT_MS = 10_000;
/** A server that says nothing for so long while it is asked something is gone, in milliseconds. */
const SILENCE_MS = 15_000;

/**
 * The service's schema. It opens lazily: nothing connects until the first query. A lost or stuck connection shows
 * within seconds: 3 s to connect, 10 s for a statement, 20 s for an idle transaction.
 */
export function openDatabase({ service, url, entities, migrations, poolSize = 10 }: DatabaseOptions): MikroORM {
  return new MikroORM({
    clientUrl: url,
    schema: service,
    entities: [...entities],
    extensions: [Migrator],
    pool: { min: 0, max: poolSize },
    ensureDatabase: false,
    migrations: {
      migrationsList: [...migrations],
      snapshot: false,
      silent: true,
      tableName: 'migrations',
      transactional: true,
    },
    schemaGenerator: { managementDbName: 'postgres', skipTables: ['migrations'] },
    driverOptions: {
      onPoolCreated: releaseDeadConnections,
      application_name: `billing-${service}`,
      connectionTimeoutMillis: 3_000,
      statement_timeout: STATEMENT_MS,
      lock_timeout: 5_000,
      idle_in_transaction_session_timeout: 20_000,
      keepAlive: true,
      options: `-c search_path=${service}`,
    },
  });
}

export type Database = ReturnType<typeof openDatabase>;

/**
 * Brings the schema up to date; two copies of a service starting at once take turns. From then on a connection over
 * which nothing comes back for 15 s is closed.
 * @throws StartError when PostgreSQL cannot be reached or refuses the role
 */
export async function migrate(database: Database): Promise<void> {
  const connection = database.em.getConnection();
  try {
    await connection.execute('select 1');
  } catch (err) {
    throw new StartError(
      `Cannot use PostgreSQL at ${whereabouts(database)}: ${reason(err)}. Start it, or correct DATABASE_URL.`,
    );
  }
  await database.em.fork().transactional(async tx => {
    await tx.execute('set local lock_timeout = 0');
    await tx.execute('set local statement_timeout = 0');
    await tx.execute('set local idle_in_transaction_session_timeout = 0');
    await tx.execute('select pg_advisory_xact_lock(hashtext(current_schema()))');
    await database.migrator.up();
  });
  closeSilentConnections(await connection.getNativeClient(), SILENCE_MS);
}

/** Rejects when the database does not answer. */
export const ping = (database: Database): Promise<unknown> => database.em.getConnection().execute('select 1');

function whereabouts(database: Database): string {
  const url = URL.parse(database.config.get('clientUrl') ?? '');
  return url ? `${url.host}${url.pathname} as ${url.username}` : 'the configured address';
}

function reason(err: unknown): string {
  if (!(err instanceof Error)) return String(err);
  const code = sqlState(err);
  return err.message || (code ?? 'no answer');
}

/** What the server or the network says when the database is away: connection lost, refused, shutting down, starting up. */
const AWAY = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '25P03',
]);
const AWAY_MESSAGE =
  /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|connection timeout/i;

/** Whether an error says that the database cannot be reached at the moment, so that another try makes sense. */
export function isDatabaseUnavailable(err: unknown): boolean {
  for (let cause: unknown = err; cause instanceof Error; cause = cause.cause) {
    const code = sqlState(cause);
    if (code !== undefined && (AWAY.has(code) || code.startsWith('08'))) return true;
    if (AWAY_MESSAGE.test(cause.message)) return true;
  }
  return false;
}

/** The SQLSTATE (or socket error code) an error carries. */
export function sqlState(err: unknown): string | undefined {
  if (!(err instanceof Error) || !('code' in err)) return undefined;
  return typeof err.code === 'string' ? err.code : undefined;
}

/** Whether an insert or update met a row that a unique index (by `constraint` name, if given) forbids. */
export function isUniqueViolation(err: unknown, constraint?: string): boolean {
  if (sqlState(err) !== '23505') return false;
  return constraint === undefined || (err instanceof Error && 'constraint' in err && err.constraint === constraint);
}
