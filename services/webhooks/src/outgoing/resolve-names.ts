import { lookup, Resolver } from 'node:dns/promises';
import { isOpenedHost, type AllowedTargets } from './sent-urls.rules.ts';

/** Finds the addresses of a name. It rejects with {@link NameNotResolved} where there are none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** For each of two tries. */
const TIMEOUT_MS = 1_500;
/** How long the name servers that the system names are believed to be the same. */
const SERVERS_MS = 60_000;

export class NameNotResolved extends Error {
  readonly code = 'NAME_NOT_RESOLVED';
  constructor(name: string, options?: ErrorOptions) {
    super(`${name} has no address.`, options);
  }
}

/**
 * Returns what queries the name servers itself. The system's way takes one of a few threads until they respond, so that
 * tenants with slow name servers would hold up everything; it is taken for hosts that the operator has named, which may stand
 * in `/etc/hosts`.
 */
export function resolverOf(allowed: AllowedTargets): Resolve {
  const open = () => ({ resolver: new Resolver({ timeout: TIMEOUT_MS, tries: 2 }), openedAt: performance.now() });
  let opened = open();
  return async name => {
    if (isOpenedHost(name, allowed))
      return lookup(name, { all: true }).then(
        found => found.map(({ address }) => address),
        (cause: unknown) => Promise.reject(new NameNotResolved(name, { cause })),
      );
    if (performance.now() - opened.openedAt > SERVERS_MS) opened = open();
    const { resolver } = opened;
    const responses = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = responses.flatMap(one => (one.status === 'fulfilled' ? one.value : []));
    if (addresses.length === 0) throw new NameNotResolved(name);
    return addresses;
  };
}
