/** Variables for npm, a test run, this supervisor, or another PostgreSQL than ours. */
const NOT_INHERITED =
  /^(npm_|VITEST|TEST_|PG|NODE_OPTIONS$|NODE_CHANNEL|DATABASE_URL$|NATS_URL$|GATEWAY_PORT$|BILLING_DATA_DIR$)/;

/**
 * Returns the caller's variables that a part inherits: a limit, a proxy or a certificate set for `npm start` reaches the
 * services, the superuser's `DATABASE_URL` and libpq's `PG…` variables do not.
 */
export function inheritedEnvironment(source: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(source).filter(([name]) => !NOT_INHERITED.test(name)));
}

/** Removes libpq's `PG…` variables from this process: they are for another PostgreSQL than the one that it starts or finds. */
export function forgetPostgresVariables(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(env)) if (name.startsWith('PG') && name !== 'PG_DUMP') delete env[name];
}
