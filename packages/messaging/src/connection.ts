import { connect, type NatsConnection } from '@nats-io/transport-node';
import type { ServiceName } from '@billing/contracts/operation';
import { StartError } from '@billing/database/start-error';
import type { Logger } from 'pino';
import { inboxOf } from './subjects.ts';

/** What a `NATS_URL` says. */
export interface BrokerAddress {
  /** The servers of a cluster, any of which will do; mostly one. */
  readonly hosts: readonly string[];
  readonly user: string;
  readonly password: string;
  /** Prefix of JetStream's API, where it is not `$JS.API`: the parameter `api` of the URL. */
  readonly apiPrefix: string | undefined;
}

/** Reads `nats://user:password@host:4222,other:4222?api=EVENTS.API`; only one host is needed. */
export function brokerAddress(url: string): BrokerAddress {
  const [, before = 'nats://', list = '', after = ''] = /^([a-z]+:\/\/(?:[^@/?]*@)?)?([^/?]+)(.*)$/.exec(url) ?? [];
  const hosts = list.split(',');
  // A URL has one host.
  const { username, password, searchParams } = new URL(`${before}${hosts[0]}${after}`);
  return {
    hosts: hosts.map(host => new URL(`nats://${host}`).host),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    apiPrefix: searchParams.get('api') ?? undefined,
  };
}

interface ConnectOptions {
  readonly url: string;
  /** The service; its inboxes begin with its name. */
  readonly service: ServiceName;
  readonly logger: Logger;
}

/** A connection to the broker, and what opening the bus takes from its address. */
export interface Broker {
  readonly nats: NatsConnection;
  readonly inbox: string;
  readonly apiPrefix: string | undefined;
}

/**
 * Connects to the broker. A broker that goes away is waited for without end; a dead link shows within 20 s.
 * @throws StartError when the broker cannot be reached at the start, or is too old
 */
export async function connectBroker({ url, service, logger }: ConnectOptions): Promise<Broker> {
  const address = brokerAddress(url);
  const inbox = inboxOf(service);
  const nats = await connectTo(address, service, inbox);
  try {
    checkVersion(nats.info?.version ?? '', address.hosts, logger);
  } catch (err) {
    await nats.close();
    throw err;
  }
  return { nats, inbox, apiPrefix: address.apiPrefix };
}

/**
 * Connects under a name, without the checks of a service.
 * @throws StartError when the broker cannot be reached
 */
export async function connectTo(address: BrokerAddress, name: string, inboxPrefix?: string): Promise<NatsConnection> {
  const { hosts, user, password } = address;
  try {
    return await connect({
      servers: [...hosts],
      name,
      timeout: 5_000,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      pingInterval: 10_000,
      maxPingOut: 2,
      // Two errors made for each request, in case it should fail, cost more than the request.
      noAsyncTraces: true,
      ...(inboxPrefix !== undefined && { inboxPrefix }),
      ...(user && { user, pass: password }),
    });
  } catch (err) {
    const reason = err instanceof Error ? err.message : String(err);
    throw new StartError(`Cannot reach NATS at ${hosts.join(', ')}: ${reason}. Start it, or correct NATS_URL.`);
  }
}

/** Older servers have known ways around authentication and the API's permissions. */
const SUPPORTED = { major: 2, minor: 10 };
/** The oldest server whose API names a consumer's filter in the subject, on which permissions rest. */
const OLDEST = { major: 2, minor: 9 };

/**
 * Warns about a server older than 2.10 on this machine, which distributions still package.
 * @throws StartError when it is elsewhere, or older than 2.9
 */
export function checkVersion(version: string, hosts: readonly string[], logger: Pick<Logger, 'warn'>): void {
  if (isAtLeast(version, SUPPORTED)) return;
  if (hosts.every(isLoopback) && isAtLeast(version, OLDEST)) {
    logger.warn({ version }, 'this nats-server is old and only accepted on this machine; install 2.10 or newer');
    return;
  }
  throw new StartError(
    `NATS at ${hosts.join(', ')} has version ${version || 'unknown'}. Install nats-server 2.10 or newer.`,
  );
}

function isAtLeast(version: string, { major, minor }: typeof SUPPORTED): boolean {
  const [ofServer = 0, minorOfServer = 0] = version.split('.').map(Number);
  return ofServer > major || (ofServer === major && minorOfServer >= minor);
}

const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/.test(host);

/** Closes after what is under way has been sent. */
export async function closeBroker({ nats }: Pick<Broker, 'nats'>): Promise<void> {
  if (!nats.isClosed()) await nats.drain().catch(() => nats.close());
}
