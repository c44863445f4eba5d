import { Agent, type ClientRequestArgs } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { isIP, isIPv6, type LookupFunction, type Socket } from 'node:net';
import { withMaxAge } from '@billing/service/connection-age';
import type { Resolve } from './resolve-names.ts';
import { isAllowedAddress, type AllowedTargets } from './sent-urls.rules.ts';

const CONNECT_MS = 5_000;
/** How long a connection stays open for the next request, in milliseconds, whatever the receiver says. */
const IDLE_MS = 4_000;

class AddressNotAllowed extends Error {
  readonly code = 'ADDRESS_NOT_ALLOWED';
  constructor() {
    super('The address is not public, and the operator has not opened it.');
  }
}

class ConnectTimeout extends Error {
  readonly code = 'CONNECT_TIMEOUT';
  constructor() {
    super(`There was no connection within ${CONNECT_MS} ms.`);
  }
}

interface CheckedAgentOptions {
  readonly allowed: AllowedTargets;
  /** Finds the addresses of a name. */
  readonly resolve: Resolve;
  /** How long a connection is used, in milliseconds; half a minute unless given. */
  readonly maxAgeMs: number | undefined;
}

/** Opens the agents of `http:` and `https:`: they connect to allowed addresses only, each time to those that the name has then. */
export function openCheckedAgents({ allowed, resolve, maxAgeMs }: CheckedAgentOptions) {
  const options = { keepAlive: true, timeout: IDLE_MS };
  const check = <Checked extends Agent>(agent: Checked, protocol: 'http:' | 'https:'): Checked => {
    const connect = agent.createConnection.bind(agent);
    agent.createConnection = (given, callback) => {
      const url = urlOf(protocol, given);
      const socket = connect({ ...given, lookup: checkedLookup(url, allowed, resolve) }) as Socket; // of an agent without a proxy
      const timer = setTimeout(() => socket.destroy(new ConnectTimeout()), CONNECT_MS);
      const fail = (err: Error): void => {
        clearTimeout(timer);
        callback?.(err, socket);
      };
      socket.once('error', fail);
      socket.once(protocol === 'https:' ? 'secureConnect' : 'connect', () => {
        const { remoteAddress = '' } = socket;
        if (isAllowedAddress(url, remoteAddress, allowed)) {
          clearTimeout(timer);
          socket.off('error', fail);
          callback?.(null, socket);
        } else socket.destroy(new AddressNotAllowed());
      });
      return undefined;
    };
    return withMaxAge(agent, maxAgeMs);
  };
  return { 'http:': check(new Agent(options), 'http:'), 'https:': check(new TlsAgent(options), 'https:') };
}

/** Returns the origin that a connection is made for. */
function urlOf(protocol: string, { host, port }: ClientRequestArgs): URL {
  const name = host ?? '';
  return new URL(`${protocol}//${isIPv6(name) ? `[${name}]` : name}:${port}`);
}

/** Looks up a name, and leaves out the addresses that nothing may be sent to. */
const checkedLookup =
  (url: URL, allowed: AllowedTargets, resolve: Resolve): LookupFunction =>
  (hostname, options, callback) => {
    const look = async (): Promise<void> => {
      const found = await resolve(hostname).catch((err: Error) => err);
      if (found instanceof Error) return callback(found, []);
      const usable = found.filter(address => isAllowedAddress(url, address, allowed));
      const [first] = usable;
      if (first === undefined) callback(new AddressNotAllowed(), []);
      else if (options.all)
        callback(
          null,
          usable.map(address => ({ address, family: isIP(address) })),
        );
      else callback(null, first, isIP(first));
    };
    void look();
  };
