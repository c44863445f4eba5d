import { messagingEntities, messagingMigrations } from '@billing/messaging/tables';
import { idempotencyEntities, idempotencyMigrations } from '@billing/service/idempotency';
import { openDatabase as open, type Database } from '@billing/service/database';
import { CreatePortalSessions } from './migrations/0001-create-portal-sessions.ts';
import { ListPortalSessions } from './migrations/0002-list-portal-sessions.ts';
import { PortalSession } from './portal-session.entity.ts';

/** The portal's schema; nothing connects until the first query. */
export function openDatabase(url: string): Database {
  return open({
    service: 'portal',
    url,
    entities: [...messagingEntities, ...idempotencyEntities, PortalSession],
    migrations: [
      ...messagingMigrations,
      ...idempotencyMigrations,
      { name: '0001-create-portal-sessions', class: CreatePortalSessions },
      { name: '0002-list-portal-sessions', class: ListPortalSessions },
    ],
  });
}
