import { DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { addressOf, readSecrets } from '../system/servers.ts';

const STREAM = 'BILLING';

/** Connects as the user that owns the stream. */
async function connectAsAdmin(): Promise<NatsConnection & AsyncDisposable> {
  const [{ natsPassword: pass }, servers] = await Promise.all([readSecrets(), addressOf('nats')]);
  const nats = await connect({ servers, user: 'admin', pass, reconnect: false });
  return Object.assign(nats, { [Symbol.asyncDispose]: () => nats.close() });
}

/** A message of the stream, with its headers. */
export interface StoredMessage {
  readonly subject: string;
  readonly text: string;
}

/** Returns the number of the last message of the stream. */
export async function lastMessage(): Promise<number> {
  await using admin = await connectAsAdmin();
  return (await (await jetstreamManager(admin)).streams.info(STREAM)).state.last_seq;
}

/** Reads every message of the stream after the one with this number, as its owner can. */
export async function messagesAfter(sequence: number): Promise<StoredMessage[]> {
  await using admin = await connectAsAdmin();
  const last = await lastMessage();
  if (last <= sequence) return [];
  const consumer = await jetstream(admin).consumers.get(STREAM, {
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
