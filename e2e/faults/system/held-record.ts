import { findServers } from '@billing/local-system/running-system';
import { Client } from 'pg';
import type { FaultySystem } from './faulty-system.ts';

export interface HeldRecord extends AsyncDisposable {
  readonly release: () => Promise<void>;
}

/** Locks the record of a subscription, so that nothing that writes it comes to an end. */
export async function holdSubscription({ dataDir }: FaultySystem, processorId: string): Promise<HeldRecord> {
  const client = new Client({ connectionString: findServers(dataDir, 'subscriptions').databaseUrl });
  await client.connect();
  await client.query('begin');
  await client.query('set local idle_in_transaction_session_timeout = 0');
  const { rowCount } = await client.query(
    'select 1 from subscriptions.subscriptions where processor_subscription_id = $1 for update',
    [processorId],
  );
  if (rowCount !== 1) throw new Error(`There is no one subscription ${processorId} to hold.`);
  const release = () => client.end();
  return { release, [Symbol.asyncDispose]: release };
}
