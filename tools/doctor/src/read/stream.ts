import {
  DiscardPolicy,
  jetstreamManager,
  StorageType,
  type ConsumerInfo,
  type JetStreamManager,
} from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { busAccessOf } from '@billing/contracts/bus-access';
import { SERVICES } from '@billing/contracts/operation';
import { checkVersion } from '@billing/messaging/connection';
import { durableOf, ROOT, streamOf } from '@billing/messaging/subjects';
import type { ConsumerReading } from '../checks/consumers.ts';
import type { StreamReading } from '../checks/stream.ts';

const STREAM = streamOf(ROOT);

/** Every durable name that a service declares, with the service. */
export const declaredConsumers = (): ReadonlyMap<string, string> =>
  new Map(
    SERVICES.flatMap(service => [...busAccessOf(service).consumers.keys()].map(name => [durableOf(name), service])),
  );

/** Returns the version of the server when it is older than what services accept without a warning elsewhere; else null. */
export function readOldNats({ info }: NatsConnection, hosts: readonly string[]): string | null {
  const version = info?.version ?? '';
  try {
    checkVersion(version, hosts, { warn: () => undefined });
    return null;
  } catch {
    return version;
  }
}

/** Reads the stream and its consumers; needs a user with the rights of the stream's own account. */
export async function readStream(
  nats: NatsConnection,
): Promise<{ readonly stream: StreamReading; readonly consumers: readonly ConsumerReading[] }> {
  const jsm = await jetstreamManager(nats, { timeout: 10_000 });
  const { config, state } = await jsm.streams.info(STREAM);
  const stream = {
    name: STREAM,
    discardsNew: config.discard === DiscardPolicy.New,
    isOnDisk: config.storage === StorageType.File,
    maxAgeMs: config.max_age / 1_000_000,
    bytes: state.bytes,
    maxBytes: config.max_bytes,
  };
  const consumers: ConsumerReading[] = [];
  for await (const consumer of jsm.consumers.list(STREAM)) consumers.push(await readConsumer(jsm, consumer));
  return { stream, consumers };
}

async function readConsumer(jsm: JetStreamManager, consumer: ConsumerInfo): Promise<ConsumerReading> {
  const { name, num_pending: pending, num_ack_pending: unfinished, ack_floor: floor, config } = consumer;
  const waiting = pending + unfinished;
  if (waiting === 0) return { name, waiting, oldestMs: null };
  const oldest = await findFrom(jsm, floor.stream_seq + 1, config.filter_subject ?? `${ROOT}.>`);
  return { name, waiting, oldestMs: oldest === null ? null : Date.now() - oldest.getTime() };
}

/** Returns when the first event of a filter from a position on was published; null when it is gone meanwhile. */
async function findFrom(jsm: JetStreamManager, seq: number, subject: string): Promise<Date | null> {
  // The client's types know no search from a position, which the server has had since 2.7.
  const query = { seq, next_by_subj: subject } as unknown as Parameters<JetStreamManager['streams']['getMessage']>[1];
  const message = await jsm.streams.getMessage(STREAM, query);
  return message?.time ?? null;
}
