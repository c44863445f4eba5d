import { messagingEntities, messagingMigrations } from '@billing/messaging/tables';
import { openDatabase as open, type Database } from '@billing/service/database';
import { idempotencyEntities, idempotencyMigrations } from '@billing/service/idempotency';
import { operationLogEntities, operationLogMigrations } from '@billing/processor/operation-log/tables';
import { CreateCatalog } from './migrations/0001-create-catalog.ts';
import { Price } from './price.entity.ts';
import { Product } from './product.entity.ts';

/** The catalog's schema; nothing connects until the first query. */
export function openDatabase(url: string): Database {
  return open({
    service: 'catalog',
    url,
    entities: [...messagingEntities, ...idempotencyEntities, ...operationLogEntities, Product, Price],
    migrations: [
      ...messagingMigrations,
      ...idempotencyMigrations,
      ...operationLogMigrations,
      { name: '0001-create-catalog', class: CreateCatalog },
    ],
  });
}
