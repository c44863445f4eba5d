import { z } from 'zod';
import { postgresConnection } from '@billing/database/connection';
import { brokerAddress } from '@billing/messaging/connection';
import { StartError } from '@billing/database/start-error';
import { httpsProxyEnv } from './https-proxy.ts';

/** A PEM text, base64-encoded so that it fits on one line of an environment file. */
export const pemInBase64 = z.base64().transform(encoded => Buffer.from(encoded, 'base64').toString('utf8'));

/** 32 random bytes, base64-encoded. */
export const keyInBase64 = z
  .base64()
  .transform(encoded => Buffer.from(encoded, 'base64'))
  .refine(key => key.length === 32, 'Expected 32 bytes in base64.');

/**
 * Where callers reach the gateway, as an origin: `https://billing.example.com`. It cannot be served below a path, where its
 * pages would look for their files and its cookies for their paths in vain.
 */
export const httpOrigin = z.url({ protocol: /^https?$/ }).transform((text, context) => {
  const { origin, href } = new URL(text);
  if (href === `${origin}/`) return origin;
  const message = `Expected an address without path, query or user, such as ${origin}; give the gateway a host name of its own`;
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

/** The address of PostgreSQL, with only such parameters as are used. */
export const postgresUrl = z.string().superRefine(accepted(postgresConnection));

/** The address of NATS, with only such parameters as are used. */
export const natsUrl = z.string().min(1).superRefine(accepted(brokerAddress));

/** Reports what a function throws about a text that it does not accept. */
function accepted(read: (text: string) => unknown) {
  return (text: string, context: z.RefinementCtx): void => {
    try {
      read(text);
    } catch (err) {
      context.addIssue({ code: 'custom', message: err instanceof Error ? err.message : String(err) });
    }
  };
}

/** Variables of every service; a service extends them with its own. */
export const serviceEnv = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65_535),
  /** The service's own role in PostgreSQL. */
  DATABASE_URL: postgresUrl,
  NATS_URL: natsUrl,
  /** Unpublished events in the outbox above which the service pauses writes. */
  OUTBOX_HIGH_WATER: z.coerce.number().int().min(1).default(100_000),
  /** How long to go on serving after SIGTERM, so that load balancers see it first; in seconds. */
  CLOSE_DELAY_SECONDS: z.coerce.number().min(0).max(4).default(0),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  /** `pretty` is for people; in a terminal it is the default, and JSON everywhere else. */
  LOG_FORMAT: z.enum(['json', 'pretty']).optional(),
  /** Ed25519 public key that verifies the gateway's identity tokens. */
  IDENTITY_PUBLIC_KEY: pemInBase64,
});

/** Variables of a service that calls the payment processor. */
export const processorEnv = httpsProxyEnv.extend({
  /** Address of a stand-in for Stripe, for example http://127.0.0.1:12111; empty or absent for Stripe itself. */
  STRIPE_API_BASE_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .or(z.literal('').transform(() => undefined)),
  /** This service's own key: opens the teams' credentials that the webhooks service seals for it. */
  SERVICE_KEY: keyInBase64,
});

/**
 * Parses the environment; called once, at start.
 * @throws StartError naming every variable that is missing or wrong, or `PGSSL…` variables beside the URL of a database,
 *   which alone says how its connection is protected
 */
export function parseEnv<Schema extends z.ZodType>(
  schema: Schema,
  source: NodeJS.ProcessEnv = process.env,
): z.output<Schema> {
  const names = Object.keys(source).filter(name => source[name]);
  const unused = names.filter(name => name.startsWith('PGSSL'));
  const urls = names.filter(name => name.endsWith('DATABASE_URL'));
  if (unused.length > 0 && urls.length > 0)
    throw new StartError(
      `Environment: ${unused.join(', ')} would not be used. Say it in ${urls.join(', ')} (…?sslmode=verify-full&sslrootcert=…).`,
    );
  const result = schema.safeParse(source);
  if (result.success) return result.data;
  const wrong = result.error.issues.map(issue => {
    const name = issue.path.join('.');
    if (source[name] !== undefined) return `${name} is wrong (${issue.message})`;
    return issue.code === 'custom' ? `${name} is missing (${issue.message})` : `${name} is missing`;
  });
  throw new StartError(
    `Environment: ${wrong.join('; ')}. Set it and start again; docs/configuration.md lists all variables.`,
  );
}
