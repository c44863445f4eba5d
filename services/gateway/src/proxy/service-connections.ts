import { Agent, type AgentOptions } from 'node:http';

/**
 * How long a connection to a service may be unused, in milliseconds. A service that closes says so in the responses of its
 * last second and more (`CLOSE_DELAY_SECONDS`), then closes what is unused: by then the gateway must have closed it, or a
 * request may be lost on it.
 */
const MAX_IDLE_MS = 750;

/** Returns an agent that keeps connections to services for further requests. */
export const keepConnections = (options: AgentOptions): Agent =>
  new Agent({ ...options, keepAlive: true, timeout: MAX_IDLE_MS });
