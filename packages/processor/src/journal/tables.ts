import { Migration } from '@mikro-orm/migrations';
import { PendingWrite } from './pending-write.entity.ts';

/** The table of writes to the processor that are under way. */
class CreatePendingWrites extends Migration {
  override up(): void {
    this.addSql(`
      create table pending_writes (
        id uuid primary key,
        team_id text not null,
        project_id text not null,
        kind text not null,
        resource_id text not null,
        input jsonb not null,
        request_key text,
        attempts int not null,
        claimed_until timestamptz not null,
        due_at timestamptz not null,
        created_at timestamptz not null,
        finished_at timestamptz,
        constraint pending_writes_request_key_unique unique (team_id, project_id, kind, request_key)
      )`);
    this.addSql(
      `create unique index pending_writes_one_per_resource on pending_writes (resource_id) where finished_at is null`,
    );
    this.addSql(`create index pending_writes_due on pending_writes (due_at) where finished_at is null`);
  }
}

/** The table of writes under way, for the lists of a service that writes to the processor. */
export const journalEntities = [PendingWrite];
export const journalMigrations = [{ name: '0000-create-pending-writes', class: CreatePendingWrites }];
