import { messagingEntities, messagingMigrations } from '@billing/messaging/tables';
import { idempotencyEntities, idempotencyMigrations } from '@billing/service/idempotency';
import { openDatabase as open, type Database } from '@billing/service/database';
import { CreatePortal } from './migrations/0001-create-portal.ts';
import { PortalSession } from './portal-session.entity.ts';

/** Returns the portal's database; it connects at the first query. */
export function openDatabase(url: string): Database {
  return open({
    service: 'portal',
    url,
    entities: [...messagingEntities, ...idempotencyEntities, PortalSession],
    migrations: [...messagingMigrations, ...idempotencyMigrations, { name: '0001-create-portal', class: CreatePortal }],
  });
}
