/** The gateway's variables for tests and benchmarks, which send far more requests than people do, from one address. */
export const NO_LIMITS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      'PER_KEY',
      'PER_TEAM',
      'STATE_READS',
      'SESSION_CREATION',
      'SIGN_IN',
      'SIGN_IN_FAILURES',
      'MAILS',
      'BAD_KEYS',
      'BAD_PORTAL_TOKENS',
      'PORTAL_LINK',
      'PORTAL_SETUP',
      'WEBHOOK_EVENTS',
    ].map(name => [`RATE_LIMIT_${name}`, '100000000']),
  ),
  RATE_LIMIT_WEBHOOK_BYTES: '100000000000',
  MAX_BODY_BYTES_IN_FLIGHT: '1073741824',
  MAX_CONNECTIONS: '100000',
  MAX_CONNECTIONS_PER_ADDRESS: '100000',
};
