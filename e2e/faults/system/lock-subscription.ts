import { findServers } from '@billing/local-system/running-system';
import { Client } from 'pg';
import type { FaultySystem } from './faulty-system.ts';

export interface RowLock extends AsyncDisposable {
  readonly release: () => Promise<void>;
}

/**
 * Locks the row of a subscription, so that every handler that writes it hangs. Uses SQL because no HTTP request can
 * hold a row lock.
 */
export async function lockSubscription({ dataDir }: FaultySystem, processorId: string): Promise<RowLock> {
  const client = new Client({ connectionString: findServers(dataDir, 'subscriptions').databaseUrl });
  await client.connect();
  await client.query('begin');
  await client.query('set local idle_in_transaction_session_timeout = 0');
  const { rowCount } = await client.query(
    'select 1 from subscriptions.subscriptions where processor_subscription_id = $1 for update',
    [processorId],
  );
  if (rowCount !== 1) throw new Error(`Expected one subscription ${processorId} to lock, found ${rowCount}.`);
  const release = () => client.end();
  return { release, [Symbol.asyncDispose]: release };
}
