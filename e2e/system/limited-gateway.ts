import { NO_LIMITS } from '@billing/testing/no-limits';
import { startGatewayCopy, type GatewayCopy } from './gateway-copy.ts';

/** Limits that a test reaches within a second or two; all others have their defaults. */
const LIMITS = {
  RATE_LIMIT_PER_KEY: '60',
  RATE_LIMIT_PER_TEAM: '150',
  RATE_LIMIT_WEBHOOK_EVENTS: '3',
  MAX_BODY_BYTES_IN_FLIGHT: '8388608',
  // A caller says in X-Forwarded-For which address it has; a connection from elsewhere has its own.
  TRUST_PROXY: '127.0.0.1',
};

/** Starts one more copy of a running system's gateway, with limits. */
export const startLimitedGateway = (dataDir: string): Promise<GatewayCopy> =>
  startGatewayCopy(dataDir, {
    ...Object.fromEntries(Object.keys(NO_LIMITS).map(name => [name, undefined])),
    ...LIMITS,
  });
