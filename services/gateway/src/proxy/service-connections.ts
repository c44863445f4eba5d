import { Agent, type AgentOptions } from 'node:http';
import type { ServiceName } from '@billing/contracts/operation';
import { unavailable, type Problem } from '@billing/contracts/problem';
import { withMaxAge } from '@billing/service/connection-age';

/**
 * How long a connection to a service may be unused, in milliseconds: less than the time for which a service that closes goes on
 * serving (`CLOSE_DELAY_SECONDS`). Then it closes its unused connections, and a request that is sent at that moment is lost.
 */
const MAX_IDLE_MS = 750;

/** Connections to a service. */
export const MAX_CONNECTIONS = 256;

/** Returns an agent that keeps connections to services for further requests, each for a time. */
export const keepConnections = (options: AgentOptions): Agent =>
  withMaxAge(new Agent({ ...options, keepAlive: true, timeout: MAX_IDLE_MS }));

/** 503: a service is down or too slow. */
export function serviceUnavailable(service: ServiceName, cause?: unknown): Problem {
  return unavailable(`The ${service} service does not respond at the moment.`, 2, { cause });
}

/** 503: a service returned 401. It rejects the gateway, not the caller, whose credential was checked here. */
export function identityRejected(service: ServiceName): Problem {
  return unavailable(
    `The ${service} service rejects the gateway's identity token. Check that IDENTITY_PUBLIC_KEY is the gateway's and that the clocks differ by less than half a minute.`,
    5,
  );
}
