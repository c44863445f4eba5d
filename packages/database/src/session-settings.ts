import type { Pool, PoolClient } from 'pg';
import { sqlState } from './sql-state.ts';
import { StartError } from './start-error.ts';

/**
 * The limits of a session, in milliseconds. A connection sets them, and provisioning does for each role: behind a pooler all
 * connections of a role have what the server gives them.
 */
export const SESSION_LIMITS = {
  statement_timeout: 10_000,
  lock_timeout: 5_000,
  idle_in_transaction_session_timeout: 20_000,
} as const;

const NAMES = Object.keys(SESSION_LIMITS);

/** Has the running transaction take as long as it needs. */
export const WITHOUT_LIMITS = NAMES.map(name => `set local ${name} = 0`).join('; ');

/**
 * Checks that a pooler between here and PostgreSQL, if there is one, leaves connections the schema and the limits that they set,
 * and the statements that they prepare.
 * @throws StartError naming what it drops
 */
export async function checkSession(pool: Pool, schema: string): Promise<void> {
  const columns = ['search_path', ...NAMES].map(name => `current_setting('${name}') as ${name}`);
  const { rows } = await pool.query<Record<string, string>>(`select ${columns.join(', ')}`);
  const [settings = {}] = rows;
  const dropped = [
    ...(settings['search_path'] === schema ? [] : ['search_path']),
    ...NAMES.filter(name => settings[name] === '0'),
    ...((await keepsStatements(pool)) ? [] : ['prepared statements']),
  ];
  if (dropped.length > 0)
    throw new StartError(
      `A pooler before PostgreSQL drops ${dropped.join(', ')}. Connect to PostgreSQL itself, or set the pooler as docs/operations.md says and provision again.`,
    );
}

/** PostgreSQL: `invalid_sql_statement_name`. */
const NO_SUCH_STATEMENT = '26000';

/** Runs a prepared statement again while a transaction has the server's connection on which a pooler ran it first. */
async function keepsStatements(pool: Pool): Promise<boolean> {
  if (pool.options.max < 2) return true;
  const statement = { name: 'check_session', text: 'select 1' };
  return withConnection(pool, async connection => {
    await connection.query(statement);
    return withConnection(pool, async other => {
      await other.query('begin');
      const isKept = await connection.query(statement).then(() => true, failsAsUnknown);
      await other.query('rollback');
      return isKept;
    });
  });
}

/** Returns false if that is why a statement failed, else throws what it failed with. */
function failsAsUnknown(err: unknown): false {
  if (sqlState(err) === NO_SUCH_STATEMENT) return false;
  throw err;
}

async function withConnection<Result>(pool: Pool, work: (connection: PoolClient) => Promise<Result>): Promise<Result> {
  const connection = await pool.connect();
  try {
    const result = await work(connection);
    connection.release();
    return result;
  } catch (err) {
    connection.release(true);
    throw err;
  }
}
