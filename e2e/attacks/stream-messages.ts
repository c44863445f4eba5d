import { DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connectAs } from './nats-users.ts';

const STREAM = 'BILLING';

/** A message of the stream, with its headers. */
export interface StoredMessage {
  readonly subject: string;
  readonly text: string;
}

/** Returns the number of the last message of the stream. */
export async function lastMessage(): Promise<number> {
  await using admin = await connectAs('admin');
  return (await (await jetstreamManager(admin.nats)).streams.info(STREAM)).state.last_seq;
}

/** Reads every message of the stream after the one with this number, as its owner can. */
export async function messagesAfter(sequence: number): Promise<StoredMessage[]> {
  await using admin = await connectAs('admin');
  const last = await lastMessage();
  if (last <= sequence) return [];
  const consumer = await jetstream(admin.nats).consumers.get(STREAM, {
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: sequence + 1,
  });
  const found: StoredMessage[] = [];
  for await (const message of await consumer.consume()) {
    const headers = JSON.stringify([...(message.headers ?? [])]);
    found.push({ subject: message.subject, text: `${headers} ${message.string()}` });
    if (message.seq >= last) break;
  }
  return found;
}
