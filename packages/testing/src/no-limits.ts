/** The gateway's variables for tests and benchmarks, which send far more requests than people do, from one address. */
export const NO_LIMITS: Readonly<Record<string, string>> = {
  RATE_LIMIT_PER_KEY: '100000000',
  RATE_LIMIT_PER_TEAM: '100000000',
  RATE_LIMIT_WEBHOOK_EVENTS: '100000000',
  RATE_LIMIT_SCALE: '100000000',
  MAX_BODY_BYTES_IN_FLIGHT: '1073741824',
  MAX_CONNECTIONS: '100000',
  MAX_CONNECTIONS_PER_ADDRESS: '100000',
};
