import type { ServiceName } from '@billing/contracts/operation';
import { messagingEntities, messagingMigrations } from '@billing/messaging/tables';
import { unprotectedPostgres } from '@billing/database/connection';
import { openDatabase, type Database } from '@billing/database/database';
import { idempotencyEntities, idempotencyMigrations } from './idempotency.ts';
import type { Logger } from 'pino';
import { restoreEntities, restoreMigrations } from './restores.ts';
import type { ServiceSchema } from './definition.ts';

/**
 * Opens a service's schema; nothing connects until the first query. Slow statements are named in the log, and a server
 * elsewhere that is used without TLS.
 * @throws StartError when the URL has a parameter that would not be used
 */
export function openServiceDatabase(
  service: ServiceName,
  schema: ServiceSchema,
  url: string,
  logger?: Logger,
): Database {
  const warning = unprotectedPostgres(url);
  if (warning) logger?.warn(warning);
  return openDatabase({
    service,
    url,
    ...wholeSchema(schema),
    ...(logger && { onSlowQuery: query => logger.warn(query, 'slow query') }),
  });
}

/** Adds the tables that every service has: messaging, idempotent requests and restores. */
export const wholeSchema = ({ entities, migrations, ...rest }: ServiceSchema): ServiceSchema => ({
  entities: [...messagingEntities, ...idempotencyEntities, ...restoreEntities, ...entities],
  migrations: [...messagingMigrations, ...idempotencyMigrations, ...restoreMigrations, ...migrations],
  ...rest,
});
