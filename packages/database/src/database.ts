import { setTimeout as pause } from 'node:timers/promises';
import { MikroORM, type AnyEntity, type EntityClass, type EntitySchema } from '@mikro-orm/postgresql';
import { Migrator, type Migration } from '@mikro-orm/migrations';
import type { ServiceName } from '@billing/contracts/operation';
import type { Pool } from 'pg';
import { BoundEntityManager } from './bound-entity-manager.ts';
import { postgresConnection } from './connection.ts';
import { closeSilentConnections, releaseDeadConnections } from './dead-connections.ts';
import { usePreparedStatements } from './prepared-statements.ts';
import { measurePool } from './pool-metrics.ts';
import { checkSession, SESSION_LIMITS, WITHOUT_LIMITS } from './session-settings.ts';
import { slowQueryOf, timeQueries, type SlowQuery } from './slow-queries.ts';
import { sqlState } from './sql-state.ts';
import { StartError } from './start-error.ts';
import { addStatementSpan } from './statement-span.ts';

type MigrationClass = new (...args: ConstructorParameters<typeof Migration>) => Migration;

/** A migration and the name that the table `migrations` records. */
export interface NamedMigration {
  readonly name: string;
  readonly class: MigrationClass;
}

export interface DatabaseOptions {
  readonly service: ServiceName;
  /** The service's own role, and how the connection is protected: see `postgresConnection`. */
  readonly url: string;
  readonly entities: readonly (EntityClass<AnyEntity> | EntitySchema)[];
  readonly migrations: readonly NamedMigration[];
  /** Connections that this process may open; 8 by default. */
  readonly poolSize?: number;
  /** What the connections are for, of a process that has several pools; for metrics. */
  readonly poolName?: string;
  /** Time limit of a statement, in milliseconds; 10 s by default. Migrations have none. */
  readonly statementMs?: number;
  /** Gets statements that take long. */
  readonly onSlowQuery?: (query: SlowQuery) => void;
}

/** How long a connection in use may be silent before the server is considered dead, in milliseconds. */
const SILENCE_MS = 15_000;
/** How long a connection is used, so that all lead to the server that the name of the address has now; in seconds. */
export const MAX_AGE_SECONDS = 300;

/**
 * Opens the service's schema. Nothing connects until the first query. A lost or stuck connection fails within seconds:
 * 3 s to connect, 10 s for a statement, 20 s for an idle transaction.
 * @throws StartError when the URL has a parameter that would not be used
 */
export function openDatabase(options: DatabaseOptions): MikroORM {
  const { service, url, entities, migrations, onSlowQuery } = options;
  const { poolSize = 8, poolName = 'main', statementMs = SESSION_LIMITS.statement_timeout } = options;
  return new MikroORM({
    clientUrl: url,
    schema: service,
    entities: [...entities],
    entityManager: BoundEntityManager,
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
      onPoolCreated: (pool: Pool) => {
        releaseDeadConnections(pool);
        usePreparedStatements(pool);
        const measure = measurePool(pool, poolName);
        timeQueries(pool, query => {
          measure(query);
          addStatementSpan(query);
          const slow = slowQueryOf(query);
          if (slow) onSlowQuery?.(slow);
        });
      },
      ...postgresConnection(url),
      application_name: `billing-${service}`,
      connectionTimeoutMillis: 3_000,
      maxLifetimeSeconds: MAX_AGE_SECONDS,
      ...SESSION_LIMITS,
      statement_timeout: statementMs,
      keepAlive: true,
      options: `-c search_path=${service}`,
    },
  });
}

export type Database = ReturnType<typeof openDatabase>;

/**
 * How long a migration waits for the lock of a table, in milliseconds: while it waits, everybody else who needs the table
 * waits behind it.
 */
const MIGRATION_LOCK_MS = 2_000;
/** How often a migration that met a locked table is tried again, and the pause before that, in milliseconds. */
const MIGRATION_ATTEMPTS = 30;
const MIGRATION_PAUSE_MS = 1_000;
/** PostgreSQL: `lock_not_available`. */
const LOCK_NOT_AVAILABLE = '55P03';

/** How long to wait for a PostgreSQL that is there but has no place yet, and the pause between attempts, in milliseconds. */
const CONNECT_MS = 20_000;
const CONNECT_PAUSE_MS = 500;

/**
 * Runs the migrations that are missing, all or none of them; copies of a service that start at the same time take turns.
 * Copies of the former version go on meanwhile, so a table that they use for long is tried again rather than waited for.
 * A PostgreSQL that starts up, is full or responds slowly is waited for, up to 20 s; one that refuses connections is not.
 * From then on, connections in use that are silent for 15 s are closed.
 * @throws StartError when PostgreSQL cannot be reached, rejects the role, a pooler drops settings, or a table stays locked
 */
export async function migrate(database: Database): Promise<void> {
  await untilConnected(database);
  await migrateUnlocked(database);
  await watchConnections(database);
}

/** From when this resolves, connections in use that are silent for 15 s are closed. */
export async function watchConnections(database: Database): Promise<void> {
  closeSilentConnections(await database.em.getConnection().getNativeClient(), SILENCE_MS);
}

async function untilConnected(database: Database): Promise<void> {
  const startedAt = performance.now();
  for (;;) {
    try {
      const pool = await database.em.getConnection().getNativeClient();
      return await checkSession(pool, database.config.get('schema') ?? '');
    } catch (err) {
      if (err instanceof StartError) throw err;
      if (!isBusy(err) || performance.now() - startedAt > CONNECT_MS)
        throw new StartError(
          `Cannot use PostgreSQL at ${addressOf(database)}: ${reasonOf(err)}. ${adviceFor(reasonOf(err))}`,
        );
      await pause(CONNECT_PAUSE_MS);
    }
  }
}

async function migrateUnlocked(database: Database): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await database.em.fork().transactional(async tx => {
        await tx.execute(WITHOUT_LIMITS);
        await tx.execute('select pg_advisory_xact_lock(hashtext(current_schema()))');
        await tx.execute(`set local lock_timeout = ${MIGRATION_LOCK_MS}`);
        const transaction = tx.getTransactionContext();
        await database.migrator.up(transaction ? { transaction } : {});
      });
    } catch (cause) {
      if (sqlState(cause) !== LOCK_NOT_AVAILABLE) throw cause;
      if (attempt === MIGRATION_ATTEMPTS)
        throw new StartError('A migration needs a table that another transaction has locked. End it and start again.', {
          cause,
        });
      await pause(MIGRATION_PAUSE_MS);
    }
  }
}

/** Rejects when the database does not respond. */
export const ping = (database: Database): Promise<unknown> => database.em.getConnection().execute('select 1');

function addressOf(database: Database): string {
  const url = URL.parse(database.config.get('clientUrl') ?? '');
  return url ? `${url.host}${url.pathname} as ${url.username}` : 'the configured address';
}

function reasonOf(err: unknown): string {
  if (!(err instanceof Error)) return String(err);
  const code = sqlState(err);
  return err.message || (code ?? 'no response');
}

const adviceFor = (reason: string): string =>
  reason.includes('unsupported startup parameter')
    ? 'Connect to PostgreSQL itself, or set the pooler as docs/operations.md says.'
    : 'Start it, or correct DATABASE_URL.';

/** Codes of a server that cannot be reached: connection refused or lost, shutting down, starting up, no free slot. */
const UNAVAILABLE_CODES = new Set([
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
/** What pg says of a connection that is lost; and pg and Kysely of a pool that this process, which stops, has closed. */
const UNAVAILABLE_MESSAGE =
  /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|connection timeout|driver has already been destroyed|pool after calling end/i;
/** Of those, the ones of a server that accepts connections, but cannot serve this one yet: starting up, no free slot, slow. */
const BUSY_CODES = new Set(['57P03', '53300']);
const BUSY_MESSAGE = /timeout exceeded when trying to connect|connection timeout/i;

/** Returns whether an error means that the database cannot be reached at the moment, so that a retry makes sense. */
export const isDatabaseUnavailable = (err: unknown): boolean =>
  hasCause(err, ({ code, message }) => {
    if (code !== undefined && (UNAVAILABLE_CODES.has(code) || code.startsWith('08'))) return true;
    return UNAVAILABLE_MESSAGE.test(message);
  });

const isBusy = (err: unknown): boolean =>
  hasCause(err, ({ code = '', message }) => BUSY_CODES.has(code) || BUSY_MESSAGE.test(message));

/** Whether the error, or what caused it, is of a kind. */
function hasCause(err: unknown, isKind: (cause: { code: string | undefined; message: string }) => boolean): boolean {
  for (let cause: unknown = err; cause instanceof Error; cause = cause.cause)
    if (isKind({ code: sqlState(cause), message: cause.message })) return true;
  return false;
}

/** Returns whether PostgreSQL ended a statement that took longer than its time limit. */
export const isStatementTimeout = (err: unknown): boolean => sqlState(err) === '57014';

/** Returns whether an error is a violation of a unique index: any, or the one named `constraint`. */
export function isUniqueViolation(err: unknown, constraint?: string): boolean {
  if (sqlState(err) !== '23505') return false;
  return constraint === undefined || (err instanceof Error && 'constraint' in err && err.constraint === constraint);
}
