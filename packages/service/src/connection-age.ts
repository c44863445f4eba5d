import type { Agent } from 'node:http';
import type { Duplex } from 'node:stream';

/** How long a connection takes further requests, in milliseconds, so that within a minute all go where a name leads now. */
const MAX_AGE_MS = 30_000;

/**
 * Has an agent use no connection for further requests that took its first one more than `maxAgeMs` ago: a busy one would stay
 * with an address that its name no longer has, and bring nothing to new copies of a service. Returns the agent.
 */
export function withMaxAge<Kept extends Agent>(agent: Kept, maxAgeMs = MAX_AGE_MS): Kept {
  const usedSince = new WeakMap<Duplex, number>();
  const keep = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean; // what it returns is missing in the types
  agent.keepSocketAlive = socket => {
    const now = performance.now();
    const since = usedSince.get(socket) ?? now;
    usedSince.set(socket, since);
    return now - since <= maxAgeMs && keep(socket);
  };
  return agent;
}
