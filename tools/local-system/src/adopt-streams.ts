import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { STREAM_ACCOUNT } from '@billing/messaging/nats-accounts';

/** The account of a server that has none in its configuration. */
const GLOBAL_ACCOUNT = '$G';

/**
 * Gives the streams of a server without accounts, with all events and positions, to the account that has them now.
 * The server must not run. Returns whether there was something to do.
 */
export async function adoptStreams(storeDir: string): Promise<boolean> {
  const folderOf = (account: string) => join(storeDir, 'jetstream', account);
  if (!existsSync(folderOf(GLOBAL_ACCOUNT)) || existsSync(folderOf(STREAM_ACCOUNT))) return false;
  await rename(folderOf(GLOBAL_ACCOUNT), folderOf(STREAM_ACCOUNT));
  return true;
}
