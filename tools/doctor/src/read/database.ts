import type { ServiceName } from '@billing/contracts/operation';
import { postgresConnection } from '@billing/database/connection';
import { StartError } from '@billing/database/start-error';
import { Client } from 'pg';

/** A connection to one service's schema that can change nothing: PostgreSQL refuses every write. */
export interface ReadOnlyDatabase extends AsyncDisposable {
  readonly service: ServiceName;
  readonly query: <Row>(sql: string, values?: readonly unknown[]) => Promise<Row[]>;
}

/** @throws what the driver throws when the database does not open */
export async function openReadOnly(service: ServiceName, url: string): Promise<ReadOnlyDatabase> {
  const client = new Client({
    ...postgresConnection(url),
    application_name: 'billing-doctor',
    connectionTimeoutMillis: 5_000,
    options: `-c search_path=${service} -c default_transaction_read_only=on -c statement_timeout=60000`,
  });
  // A connection that breaks fails its next query.
  client.on('error', () => undefined);
  await client.connect();
  const { rows: settings } = await client.query<{ readOnly: string }>(
    `select current_setting('transaction_read_only') as "readOnly"`,
  );
  if (settings[0]?.readOnly !== 'on') {
    await client.end();
    throw new StartError('A pooler before PostgreSQL drops default_transaction_read_only. Name PostgreSQL itself.');
  }
  return {
    service,
    query: async <Row>(sql: string, values: readonly unknown[] = []) => {
      const { rows } = await client.query(sql, [...values]);
      return rows as Row[]; // the caller wrote the statement and knows its columns
    },
    [Symbol.asyncDispose]: () => client.end().catch(() => undefined),
  };
}
