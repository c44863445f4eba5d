import { join, resolve } from 'node:path';
import { SERVICES, type ServiceName } from '@billing/contracts/operation';
import { StartError } from '@billing/database/start-error';
import { keyInBase64, parseEnv } from '@billing/service/env';
import { databaseUrlsIn } from '@billing/service/service-databases';
import { z } from 'zod';
import type { ProcessorAccess } from './read/processor.ts';

/** Where the parts of a system are. What is not known is not examined. */
export interface System {
  readonly databases: ReadonlyMap<ServiceName, string>;
  /** With the rights of the user that created the stream. */
  readonly natsUrl: string | null;
  /** The HTTP address of each service. */
  readonly services: ReadonlyMap<string, string>;
  readonly processor: ProcessorAccess | null;
}

const ROOT = join(import.meta.dirname, '../../..');
const text = z.string().optional();

/**
 * Returns the system that the environment describes, or else the one that `npm start` runs on this machine.
 * @throws StartError when there is neither
 */
export async function findSystem(source: NodeJS.ProcessEnv): Promise<System> {
  const given = systemIn(source);
  if (given) return given;
  const { describeRunningSystem } = await import('@billing/local-system/running-system');
  const folder = resolve(ROOT, source['BILLING_DATA_DIR'] || '.data');
  const { databaseUrls, natsUrls, urls, serviceKeys } = describeRunningSystem(folder);
  const baseUrl = source['STRIPE_API_BASE_URL'] || urls['processor'];
  return {
    databases: new Map(SERVICES.map(service => [service, databaseUrls[service]])),
    natsUrl: natsUrls.admin,
    services: new Map(SERVICES.flatMap(service => (urls[service] ? [[service, urls[service]] as const] : []))),
    processor: {
      natsUrl: natsUrls.services.subscriptions,
      serviceKey: Buffer.from(serviceKeys.subscriptions, 'base64'),
      baseUrl,
    },
  };
}

/** Returns what the variables say; null when none of them is set. */
function systemIn(source: NodeJS.ProcessEnv): System | null {
  const variables = [
    'ADMIN_NATS_URL',
    'NATS_URL',
    'SUBSCRIPTIONS_NATS_URL',
    'STRIPE_API_BASE_URL',
    ...SERVICES.map(urlVariable),
  ];
  const env = parseEnv(z.object(Object.fromEntries(variables.map(name => [name, text]))), source);
  const { SUBSCRIPTIONS_SERVICE_KEY: serviceKey } = parseEnv(
    z.object({ SUBSCRIPTIONS_SERVICE_KEY: keyInBase64.optional().or(z.literal('').transform(() => undefined)) }),
    source,
  );
  const databases = databaseUrlsIn(source);
  const natsUrl = env['ADMIN_NATS_URL'] || env['NATS_URL'] || null;
  const services = SERVICES.flatMap(service => {
    const url = env[urlVariable(service)];
    return url ? [[service, url.replace(/\/+$/, '')] as const] : [];
  });
  if (!databases) {
    if (natsUrl || services.length > 0)
      throw new StartError(
        'Set DATABASE_URL or <SERVICE>_DATABASE_URL too, or none of the variables beside npm start.',
      );
    return null;
  }
  const ownNatsUrl = env['SUBSCRIPTIONS_NATS_URL'] || env['NATS_URL'];
  return {
    databases,
    natsUrl,
    services: new Map(services),
    processor:
      ownNatsUrl && serviceKey
        ? { natsUrl: ownNatsUrl, serviceKey, baseUrl: env['STRIPE_API_BASE_URL'] || undefined }
        : null,
  };
}

/** The variable with the HTTP address of a service, as the gateway has them. */
const urlVariable = (service: ServiceName): string => `${service.toUpperCase()}_URL`;
