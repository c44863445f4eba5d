/** Variables for npm, a test run or this supervisor. */
const NOT_INHERITED =
  /^(npm_|VITEST|TEST_|NODE_OPTIONS$|NODE_CHANNEL|DATABASE_URL$|NATS_URL$|GATEWAY_PORT$|BILLING_DATA_DIR$)/;

/**
 * Returns the caller's variables that a part inherits: a limit, a proxy or a certificate set for `npm start` reaches the
 * services, the superuser's `DATABASE_URL` does not.
 */
export function inheritedEnvironment(source: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(source).filter(([name]) => !NOT_INHERITED.test(name)));
}
