import { messagingEntities, messagingMigrations } from '@billing/messaging/tables';
import { idempotencyEntities, idempotencyMigrations } from '@billing/service/idempotency';
import { openDatabase as open, type Database } from '@billing/service/database';
import { ApiKey } from './api-key.entity.ts';
import { CreateGateway } from './migrations/0001-create-gateway.ts';
import { Member, Project, Team } from './team.entity.ts';

/** Opens the schema `gateway`: teams, members, projects, API keys. better-auth has its own schema, `auth`. */
export function openDatabase(url: string): Database {
  return open({
    service: 'gateway',
    url,
    entities: [...messagingEntities, ...idempotencyEntities, Team, Member, Project, ApiKey],
    migrations: [
      ...messagingMigrations,
      ...idempotencyMigrations,
      { name: '0001-create-gateway', class: CreateGateway },
    ],
  });
}
