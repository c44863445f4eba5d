import { resolve } from 'node:path';
import { httpOrigin, natsUrl, parseEnv, postgresUrl } from '@billing/service/env';
import { exportersIn, type Exporters } from '@billing/service/telemetry-exporters';
import { StartError } from '@billing/database/start-error';
import { z } from 'zod';

/** An empty variable, as `KEY= npm start` gives it, counts as absent. */
const optional = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess(value => (value === '' ? undefined : value), schema.optional());

const environment = z.object({
  BILLING_DATA_DIR: optional(z.string()),
  GATEWAY_PORT: optional(z.coerce.number().int().min(0).max(65_535)),
  PUBLIC_URL: optional(httpOrigin),
  LOG_LEVEL: optional(z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])),
  DATABASE_URL: optional(postgresUrl),
  NATS_URL: optional(natsUrl),
  NATS_REPLICAS: optional(z.coerce.number().int().min(1).max(5)),
  STRIPE_API_BASE_URL: optional(z.url({ protocol: /^https?$/ })),
  // Empty, it allows nothing.
  WEBHOOKS_ALLOW_ADDRESSES: z.string().optional(),
});

/** The settings of `npm start`. Without `databaseUrl` or `natsUrl` an embedded server runs. */
export interface Settings {
  dataDir: string;
  /** 0 chooses a free port. */
  gatewayPort: number;
  publicUrl?: string | undefined;
  logLevel: string;
  /** An existing PostgreSQL database and a role that may create roles and schemas in it. */
  databaseUrl?: string | undefined;
  natsUrl?: string | undefined;
  /** Servers of `natsUrl` that have each event; 1 by default. */
  natsReplicas?: number | undefined;
  stripeApiBaseUrl?: string | undefined;
  /** Where tenants' events may be sent beside the public internet; loopback by default. */
  webhooksAllowAddresses?: string | undefined;
  /** Where traces and metrics go; they are off unless given. */
  exporters?: Exporters | undefined;
  demo: boolean;
}

/**
 * Reads the environment and the arguments of `npm start`. The default data folder is `.data` in `home`.
 * @throws StartError that names the wrong variable or argument
 */
export function readSettings(source: NodeJS.ProcessEnv, args: readonly string[], home: string): Settings {
  const unknown = args.find(argument => argument !== '--no-demo');
  if (unknown !== undefined)
    throw new StartError(
      `Unknown argument ${unknown}. The only one is --no-demo; settings are environment variables: tools/local-system/README.md has them.`,
    );
  const env = parseEnv(environment, source);
  return {
    dataDir: resolve(home, env.BILLING_DATA_DIR ?? '.data'),
    gatewayPort: env.GATEWAY_PORT ?? 8080,
    publicUrl: env.PUBLIC_URL,
    logLevel: env.LOG_LEVEL ?? 'info',
    databaseUrl: env.DATABASE_URL,
    natsUrl: env.NATS_URL,
    natsReplicas: env.NATS_REPLICAS,
    stripeApiBaseUrl: env.STRIPE_API_BASE_URL,
    webhooksAllowAddresses: env.WEBHOOKS_ALLOW_ADDRESSES,
    exporters: exportersIn(source),
    demo: !args.includes('--no-demo'),
  };
}
