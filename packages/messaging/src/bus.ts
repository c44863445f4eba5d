import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  jetstream,
  JetStreamApiError,
  jetstreamManager,
  StorageType,
  type JetStreamManager,
  type JsMsg,
} from '@nats-io/jetstream';
import { nanos, type NatsConnection } from '@nats-io/transport-node';
import { metrics } from '@opentelemetry/api';
import type { Envelope, EventType } from '@billing/contracts/event';
import type { TeamId } from '@billing/contracts/ids';
import type { Logger } from 'pino';
import { StartError } from '@billing/database/start-error';
import type { Acknowledgement, Delivery, Receive } from './consumer/delivery.ts';
import { semaphore } from './semaphore.ts';
import { watchCapacity } from './stream-capacity.ts';
import { durableOf, ROOT, streamOf } from './subjects.ts';
import type { Message } from './message.ts';
import { decode } from './message-body.ts';
import { carriedBy, headersOf } from './message-headers.ts';
import { withProcessSpan, withSendSpan, type ProcessedFrom } from './spans.ts';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';

/** Publishes one message. Resolves when the server has stored it. */
export type PublishMessage = (message: Pick<Message, 'id' | 'type' | 'teamId' | 'body' | 'trace'>) => Promise<void>;

interface BusOptions {
  readonly nats: NatsConnection;
  /** First token of the inboxes of the connection. */
  readonly inbox: string;
  readonly logger: Logger;
  /** Prefix of JetStream's API, where it is not `$JS.API`. */
  readonly apiPrefix?: string | undefined;
  /** First token of every subject; tests take one of their own, since streams may not share subjects. */
  readonly root?: string | undefined;
  /** Names of the events that the service has declared to follow; every event unless given. */
  readonly follows?: ReadonlySet<string>;
}

export interface SubscribeOptions {
  /** How many deliveries are in flight at once. */
  readonly maxInFlight?: number;
  /** How long after the last sign of life the server delivers an event again, in milliseconds. */
  readonly ackWaitMs?: number;
}

/** Repeats of a message id within this time are dropped by the server. */
const DUPLICATE_WINDOW_MS = 10 * 60_000;
/** How long events stay in the stream; deduplication in consumers remembers them for longer. */
export const RETENTION_MS = 7 * 24 * 3_600_000;
/** Unacknowledged messages of all copies of a consumer, unless `maxInFlight` needs more. */
const MIN_ACK_PENDING = 256;
/**
 * Messages of a consumer that have arrived and are not handled yet. Nothing extends their time, so they must not wait for long.
 * As a message has at most 1 MiB, they have 32 MiB together. By `max_bytes` they could not be fetched: the client, which then
 * fetches by nothing else, stands still for 15 s when a message is larger than what is left of each of its requests.
 */
const MAX_BUFFERED = 32;
/** Bytes of a consumer's messages that are handled at the same time; beyond them a message waits, or is handled alone. */
const MAX_BYTES_IN_FLIGHT = 8 * 1_048_576;
const MAX_BYTES = 8 * 1_024 ** 3;
const PUBLISH_TIMEOUT_MS = 5_000;
/** How long one request for messages lasts, in milliseconds. */
const PULL_MS = 30_000;
/** A consumer's leader that is silent for twice as long is gone: messages are asked for again, of the next one. */
const HEARTBEAT_MS = 7_500;

/**
 * Opens the event bus: one stream that stores every event, and durable consumers that read it.
 * @throws StartError when there is no stream, or one that would lose events
 */
export async function openBus({ nats, inbox, logger, apiPrefix, root = ROOT, follows }: BusOptions) {
  const api = { checkAPI: false, ...(apiPrefix !== undefined && { apiPrefix }) };
  const js = jetstream(nats, { timeout: PUBLISH_TIMEOUT_MS, ...api });
  const jsm = await jetstreamManager(nats, { timeout: 10_000, ...api });
  const stream = streamOf(root);
  await checkStream(jsm, stream);
  const rejected = metrics.getMeter('billing.bus').createCounter('billing.bus.rejected_messages', {
    description: 'Messages dropped because they are malformed, or stand under the subject of another event.',
  });
  const capacity = await watchCapacity(async () => {
    const { state, config } = await jsm.streams.info(stream);
    return { bytes: state.bytes, maxBytes: config.max_bytes, first: state.first_seq };
  }, logger);

  const publish: PublishMessage = async ({ type, teamId, body, id, trace }) => {
    const bytes = Buffer.byteLength(body);
    const release = capacity.reserve(teamId, bytes);
    let place: number | undefined;
    try {
      await withSendSpan({ id, type, bytes }, trace, async carried => {
        const { seq, duplicate } = await js.publish(`${root}.${type}`, body, {
          msgID: id,
          headers: headersOf(carried),
        });
        if (!duplicate) place = seq;
      });
    } finally {
      release(place);
    }
  };

  /**
   * Reads the events that match `filter`, from the first one on. Returns a function that stops after the deliveries in
   * flight.
   */
  async function subscribe(durable: string, filter: string, receive: Receive, options: SubscribeOptions = {}) {
    const { maxInFlight = 512, ackWaitMs = 10_000 } = options;
    const settings = { ack_wait: nanos(ackWaitMs), max_ack_pending: Math.max(MIN_ACK_PENDING, maxInFlight * 2) };
    const name = durableOf(durable);
    await jsm.consumers
      .add(stream, {
        durable_name: name,
        filter_subject: `${root}.${filter}`,
        ack_policy: AckPolicy.Explicit,
        deliver_policy: DeliverPolicy.All,
        max_deliver: -1,
        ...settings,
      })
      .catch(async (err: unknown) => {
        if (!(err instanceof JetStreamApiError)) throw err;
        return jsm.consumers.update(stream, name, settings);
      });
    const messages = await (
      await js.consumers.get(stream, name)
    ).consume({
      max_messages: Math.min(maxInFlight * 2, MAX_BUFFERED),
      expires: PULL_MS,
      idle_heartbeat: HEARTBEAT_MS,
    });
    const limit = semaphore(maxInFlight);
    /** A message takes one permit, a large one several: so both their number and their bytes are limited. */
    const permitsOf = ({ data }: JsMsg) =>
      Math.min(Math.max(1, Math.ceil((data.length * maxInFlight) / MAX_BYTES_IN_FLIGHT)), maxInFlight);
    const inFlight = new Set<JsMsg>();
    const extendTime = setInterval(() => inFlight.forEach(message => message.working()), ackWaitMs / 3);
    const read = async () => {
      for await (const message of messages) {
        inFlight.add(message);
        const release = await limit.acquire(permitsOf(message));
        void deliver(message, { attempt: message.info.deliveryCount, consumer: durable, receive }).finally(() => {
          inFlight.delete(message);
          release();
        });
      }
      await limit.acquire(maxInFlight);
    };
    const reading = read();
    return async () => {
      await messages.close();
      await reading;
      clearInterval(extendTime);
    };
  }

  /** Hands the events of a message to their consumer and acknowledges it; never rejects. */
  async function deliver(
    message: JsMsg,
    { attempt, consumer, receive }: { attempt: number; consumer: string; receive: Receive },
  ): Promise<void> {
    const events = decode(message);
    // Permissions are given by subject, so a subject vouches for its own type of event only.
    const foreign = events.find(({ type }) => message.subject !== `${root}.${type}`);
    const reason = events.length === 0 ? 'malformed' : foreign ? 'foreign subject' : undefined;
    if (reason) {
      logger.error({ subject: message.subject, type: foreign?.type, reason }, 'message dropped');
      rejected.add(1, { reason });
      // Without a reason, which servers older than 2.10 do not understand.
      message.term();
      return;
    }
    const origin = { carrier: carriedBy(message), consumer };
    const bytes = message.data.length / events.length;
    const ends = await Promise.all(events.map(event => deliverEvent(event, { attempt, bytes, origin, receive })));
    const delays = ends.flatMap(end => (end.kind === 'redeliver' ? [end.delayMs] : []));
    // Those that are handled come again with the others of their team, and are dropped as duplicates.
    if (delays.length > 0) message.nak(Math.max(...delays));
    else message.ack();
  }

  /** Hands an event to its consumer; never rejects. */
  async function deliverEvent(
    event: Envelope,
    { attempt, bytes, origin, receive }: { attempt: number; bytes: number; origin: ProcessedFrom; receive: Receive },
  ): Promise<Acknowledgement> {
    const { id, type, teamId } = event;
    try {
      return await withProcessSpan({ id, type, teamId, attempt }, origin, carried =>
        receive({ ...toDelivery(event, attempt, carried), bytes }),
      );
    } catch (err) {
      logger.warn({ err, eventId: id, type, attempt }, 'delivery failed, will be delivered again');
      return { kind: 'redeliver', delayMs: Math.min(500 * 2 ** attempt, 60_000) };
    }
  }

  /**
   * Calls `onEvent` with the team of each event of a type while the process runs; those of other times are not seen.
   * Returns a function that ends it.
   */
  function follow(type: EventType, onEvent: (teamId: TeamId) => void): () => void {
    if (follows && !follows.has(type.name))
      throw new Error(`The service has not declared that it follows ${type.name}; see contracts/src/bus-access.ts.`);
    const subscription = nats.subscribe(`${root}.${type.name}`, {
      callback: (err, message) => {
        if (err) return logger.error({ err, type: type.name }, 'events not followed');
        for (const event of decode(message)) {
          if (event.type === type.name) onEvent(event.teamId as TeamId); // services publish under the ids of teams
        }
      },
    });
    return () => subscription.unsubscribe();
  }

  /** Returns how many messages a consumer has not been delivered, and how many it has not acknowledged. */
  async function lagOf(consumer: string) {
    const info = await jsm.consumers.info(stream, durableOf(consumer));
    return { consumer, pending: info.num_pending, inFlight: info.num_ack_pending };
  }

  /** Deletes the stream; for tests. */
  async function remove(): Promise<void> {
    await jsm.streams.delete(stream);
  }

  /** Rejects when the server does not respond. */
  const ping = (): Promise<unknown> => nats.flush();

  return { publish, subscribe, follow, lagOf, remove, ping, root, nats, inbox };
}

export type Bus = Awaited<ReturnType<typeof openBus>>;

interface StreamOptions {
  /** Servers of the cluster that have each event; of a new stream one, unless given. */
  readonly replicas?: number | undefined;
}

/**
 * Creates the stream that stores every event, unless there is one; needs a connection that may do so. With `replicas` it gets
 * as many, if it has another number; the positions of the consumers are on as many servers.
 * @throws Error when there is one that would lose events, or the cluster has fewer servers
 */
export async function createStream(nats: NatsConnection, root = ROOT, { replicas }: StreamOptions = {}): Promise<void> {
  const jsm = await jetstreamManager(nats, { timeout: 10_000 });
  const name = streamOf(root);
  const settings = {
    subjects: [`${root}.>`],
    storage: StorageType.File,
    max_age: nanos(RETENTION_MS),
    max_bytes: MAX_BYTES,
    discard: DiscardPolicy.New,
    duplicate_window: nanos(DUPLICATE_WINDOW_MS),
  };
  const { config } = await jsm.streams.info(name).catch((err: unknown) => {
    if (!(err instanceof JetStreamApiError)) throw err;
    return jsm.streams.add({ name, ...settings, num_replicas: replicas ?? 1 });
  });
  if (replicas !== undefined && config.num_replicas !== replicas)
    await jsm.streams.update(name, { num_replicas: replicas });
  await checkStream(jsm, name);
}

async function checkStream(jsm: JetStreamManager, name: string): Promise<void> {
  const { config } = await jsm.streams.info(name).catch((err: unknown) => {
    if (!(err instanceof JetStreamApiError)) throw err;
    throw new StartError(`NATS has no stream ${name}: provision it before the services start (docs/operations.md).`);
  });
  if (config.discard !== DiscardPolicy.New)
    throw new StartError(`The stream ${name} discards old messages when it is full: set its discard policy to "new".`);
}

/** A delivery as the bus hands it to a consumer. */
export const toDelivery = (event: Envelope, attempt: number, trace: TraceCarrier = {}): Delivery => ({
  event,
  teamId: event.teamId as TeamId, // services publish under the ids of teams
  data: event.data,
  attempt,
  trace,
  context: undefined,
  isAlone: false,
  bytes: 0,
});
