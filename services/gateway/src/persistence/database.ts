import { messagingEntities, messagingMigrations } from '@billing/messaging/tables';
import { idempotencyEntities, idempotencyMigrations } from '@billing/service/idempotency';
import { openDatabase as open, type Database } from '@billing/service/database';
import { ApiKey } from './api-key.entity.ts';
import { CreateTenancy } from './migrations/0001-create-tenancy.ts';
import { NameOperationsOfMembers } from './migrations/0002-name-operations-of-members.ts';
import { Member, Project, Team } from './team.entity.ts';

/** The gateway's own schema: teams, members, projects, API keys. Sign-in keeps its tables apart. */
export function openDatabase(url: string): Database {
  return open({
    service: 'gateway',
    url,
    entities: [...messagingEntities, ...idempotencyEntities, Team, Member, Project, ApiKey],
    migrations: [
      ...messagingMigrations,
      ...idempotencyMigrations,
      { name: '0001-create-tenancy', class: CreateTenancy },
      { name: '0002-name-operations-of-members', class: NameOperationsOfMembers },
    ],
  });
}
