import { JetStreamApiError, jetstreamManager } from '@nats-io/jetstream';
import { brokerAddress, connectTo } from '@billing/messaging/connection';
import { ROOT, streamOf } from '@billing/messaging/subjects';
import { StartError } from '@billing/database/start-error';

/**
 * Checks that the stream holds nothing: its events and positions are later than the backup, and consumers would pass over
 * what is published again.
 * @throws StartError when it has events or consumers, or NATS can't be reached
 */
export async function requireEmptyStream(adminUrl: string): Promise<void> {
  const nats = await connectTo(brokerAddress(adminUrl), 'restore');
  try {
    const jsm = await jetstreamManager(nats, { timeout: 10_000 });
    const name = streamOf(ROOT);
    const stream = await jsm.streams.info(name).catch((err: unknown) => {
      if (err instanceof JetStreamApiError) return undefined;
      throw err;
    });
    if (!stream || (stream.state.messages === 0 && stream.state.consumer_count === 0)) return;
    throw new StartError(
      `The stream ${name} has ${stream.state.messages} events and ${stream.state.consumer_count} consumers, which are later than the backup. ` +
        `Stop every service, delete the stream (nats stream rm ${name}), and provision it again after the restore.`,
    );
  } finally {
    await nats.close();
  }
}
