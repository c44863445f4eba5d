/** Names that speak to npm, to a test run or to this supervisor, and not to a service. */
const NOT_HANDED_ON =
  /^(npm_|VITEST|TEST_|NODE_OPTIONS$|NODE_CHANNEL|DATABASE_URL$|NATS_URL$|GATEWAY_PORT$|BILLING_DATA_DIR$)/;

/**
 * What a part gets of the caller's environment beneath its own settings: so a limit, a proxy or a certificate set for
 * `npm start` reaches the services, and the superuser's `DATABASE_URL` does not.
 */
export function inheritedEnvironment(source: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(source).filter(([name]) => !NOT_HANDED_ON.test(name)));
}
