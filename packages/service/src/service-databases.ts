import { SERVICES, type ServiceName } from '@billing/contracts/operation';
import { StartError } from '@billing/database/start-error';
import { z } from 'zod';
import { parseEnv } from './env.ts';

const text = z.string().optional();

/** The variable with the database of one service, for commands about several: `CATALOG_DATABASE_URL`. */
export const databaseUrlVariable = (service: ServiceName): string => `${service.toUpperCase()}_DATABASE_URL`;

/**
 * Returns the database URL of each service that the environment names: `<SERVICE>_DATABASE_URL`, or else `DATABASE_URL` or
 * `ADMIN_DATABASE_URL`, whose role must see the schemas that are used. Null when none is set.
 * @throws StartError when both kinds are set
 */
export function databaseUrlsIn(source: NodeJS.ProcessEnv): ReadonlyMap<ServiceName, string> | null {
  const variables = Object.fromEntries(
    [...SERVICES.map(databaseUrlVariable), 'DATABASE_URL', 'ADMIN_DATABASE_URL'].map(name => [name, text]),
  );
  const env = parseEnv(z.object(variables), source);
  const own = SERVICES.flatMap(service => {
    const url = env[databaseUrlVariable(service)];
    return url ? [[service, url] as const] : [];
  });
  const shared = env['DATABASE_URL'] || env['ADMIN_DATABASE_URL'];
  if (own.length > 0 && shared) throw new StartError('Set either DATABASE_URL or <SERVICE>_DATABASE_URL, not both.');
  if (shared) return new Map(SERVICES.map(service => [service, shared]));
  return own.length > 0 ? new Map(own) : null;
}
