import { postgresConnection } from '@billing/database/connection';
import { StartError } from '@billing/database/start-error';
import { Client } from 'pg';

/**
 * Connects to the database with a role that may read and create everything of the system.
 * @throws StartError when PostgreSQL cannot be reached
 */
export async function connectAdmin(url: string): Promise<Client> {
  const client = new Client({
    ...postgresConnection(url),
    connectionTimeoutMillis: 5_000,
    application_name: 'billing-backup',
    // A dump keeps its snapshot open for as long as it takes.
    idle_in_transaction_session_timeout: 0,
    statement_timeout: 0,
  });
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (cause) {
    await client.end().catch(() => {});
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StartError(`PostgreSQL at ${new URL(url).host} can't be reached: ${reason}.`, { cause });
  }
  return client;
}

/** Returns the server's major version, such as 18. */
export async function serverMajorOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ version: string }>(`select current_setting('server_version_num') as version`);
  return Math.floor(Number(rows[0]?.version) / 10_000);
}
