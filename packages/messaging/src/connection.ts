import { isIP } from 'node:net';
import { checkServerIdentity } from 'node:tls';
import { connect, type NatsConnection, type TlsOptions } from '@nats-io/transport-node';
import type { ServiceName } from '@billing/contracts/operation';
import { isLoopback } from '@billing/database/loopback';
import { StartError } from '@billing/database/start-error';
import { readTlsFile } from '@billing/database/tls-file';
import { urlParameters } from '@billing/database/url-parameters';
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
  /** How TLS is done, with `tls://`; `off` when the URL says that there shall be none. */
  readonly tls?: BrokerTls | 'off';
}

/** What the client passes on to Node's TLS. */
interface BrokerTls extends TlsOptions {
  readonly checkServerIdentity: typeof checkServerIdentity;
}

/** The parameters of a URL; all but the first name files, in PEM form. */
const PARAMETERS = ['api', 'tls', 'ca', 'cert', 'key'] as const;
type Parameters = Readonly<Partial<Record<(typeof PARAMETERS)[number], string>>>;

/**
 * Reads `nats://user:password@host:4222,other:4222?api=EVENTS.API`; only one host is needed. With `tls://` nothing goes over
 * the network unencrypted, and the server's certificate is verified by the authorities of the file `ca`, or those that Node
 * trusts; `cert` and `key` are files of a client certificate. `nats://…?tls=off` says that there shall be no TLS.
 * @throws StartError when the scheme or a parameter is not known, or would have no effect
 */
export function brokerAddress(url: string): BrokerAddress {
  const [, before = 'nats://', list = '', after = ''] = /^([a-z]+:\/\/(?:[^@/?]*@)?)?([^/?]+)(.*)$/.exec(url) ?? [];
  const hosts = list.split(',').map(host => URL.parse(`nats://${host}`)?.host);
  // A URL has one host.
  const parsed = URL.parse(`${before}${list.split(',')[0]}${after}`);
  if (!parsed || !hosts.every(host => host !== undefined) || parsed.pathname.length > 1)
    throw refused('there is a mistake. It is like nats://user:password@host:4222,other:4222');
  const { protocol, username, password } = parsed;
  if (protocol !== 'nats:' && protocol !== 'tls:')
    throw refused(`the scheme ${protocol}// is unknown. Say nats or tls`);
  const parameters = urlParameters(parsed.searchParams, PARAMETERS, refused);
  const tls = tlsOf(protocol, hosts, parameters);
  return {
    hosts,
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    apiPrefix: parameters.api,
    ...(tls && { tls }),
  };
}

function tlsOf(
  protocol: 'nats:' | 'tls:',
  hosts: readonly string[],
  { tls, ca, cert, key }: Parameters,
): BrokerAddress['tls'] {
  if (tls !== undefined && (tls !== 'off' || protocol === 'tls:')) throw refused(`tls=${tls} contradicts the scheme`);
  if ((cert === undefined) !== (key === undefined)) throw refused('cert and key need each other');
  if (protocol === 'tls:')
    return {
      ...(ca !== undefined && { ca: readTlsFile('ca', ca) }),
      ...(cert !== undefined && { cert: readTlsFile('cert', cert) }),
      ...(key !== undefined && { key: readTlsFile('key', key) }),
      checkServerIdentity: identityOf(hosts),
    };
  if (ca !== undefined || cert !== undefined) throw refused('ca, cert and key are only used with the scheme tls');
  return tls;
}

/** Node checks a certificate for the name localhost when the server is an address: then it has to be of one of these. */
function identityOf(hosts: readonly string[]): typeof checkServerIdentity {
  const names = hosts.map(host => new URL(`nats://${host}`).hostname.replaceAll(/^\[|\]$/g, ''));
  const addresses = names.filter(name => isIP(name) !== 0);
  return (name, certificate) => {
    const accepted = name === 'localhost' && !names.includes(name) ? addresses : [name];
    const errors = accepted.map(it => checkServerIdentity(it, certificate));
    return errors.includes(undefined) ? undefined : errors[0];
  };
}

/** Returns a warning about servers elsewhere that are used without TLS; undefined when it is meant, or there are none. */
export function unprotectedBroker({ hosts, tls }: BrokerAddress): string | undefined {
  if (tls !== undefined || hosts.every(isLoopback)) return undefined;
  return `NATS at ${hosts.join(', ')} is used without TLS: say tls:// in its URL, or add tls=off where the network is private`;
}

const refused = (reason: string): StartError => new StartError(`In the URL of NATS ${reason}.`);

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
 * Connects to the broker. A broker that goes away is waited for without end; a dead link shows within 20 s. Servers elsewhere
 * that are used without TLS are warned about.
 * @throws StartError when the broker cannot be reached at the start, or is too old, or the address has a mistake
 */
export async function connectBroker({ url, service, logger }: ConnectOptions): Promise<Broker> {
  const address = brokerAddress(url);
  const warning = unprotectedBroker(address);
  if (warning) logger.warn(warning);
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
  const { hosts, user, password, tls } = address;
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
      // Without TLS of our own the client takes it where a server offers it.
      ...(tls === 'off' ? { tls: null } : tls && { tls }),
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

/** Closes after what is under way has been sent. */
export async function closeBroker({ nats }: Pick<Broker, 'nats'>): Promise<void> {
  if (!nats.isClosed()) await nats.drain().catch(() => nats.close());
}
