import { Agent, type AgentOptions } from 'node:http';

/**
 * How long a connection to a service may be unused, in milliseconds: less than the time for which a service that closes goes on
 * serving (`CLOSE_DELAY_SECONDS`). Then it closes its unused connections, and a request that is sent at that moment is lost.
 */
const MAX_IDLE_MS = 750;

/** Returns an agent that keeps connections to services for further requests. */
export const keepConnections = (options: AgentOptions): Agent =>
  new Agent({ ...options, keepAlive: true, timeout: MAX_IDLE_MS });
