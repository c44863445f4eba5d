import { Migration } from '@mikro-orm/migrations';
import { AccountFence } from './account-fence.ts';
import { RemoteOperationRow } from './remote-operation.entity.ts';

class CreateRemoteOperations extends Migration {
  override up(): void {
    this.addSql(`
      create table remote_operations (
        id text primary key,
        team_id text not null,
        project_id text not null,
        kind text not null,
        resource_id text not null,
        input jsonb not null,
        key_version int not null,
        sent_at timestamptz,
        key_closed_at timestamptz,
        attempts int not null,
        due_at timestamptz,
        lease_id uuid,
        created_at timestamptz not null
      )`);
    this.addSql(
      `create unique index remote_operations_one_per_resource on remote_operations (resource_id) where due_at is not null`,
    );
    this.addSql(`create index remote_operations_due on remote_operations (due_at) where due_at is not null`);
    this.addSql(`create index remote_operations_canceled on remote_operations (key_closed_at) where due_at is null`);
    this.addSql(`create table account_fences (team_id text primary key, version int not null)`);
  }
}

/** The operation log's tables, for the lists of a service that writes to the processor. */
export const operationLogEntities = [RemoteOperationRow, AccountFence];
export const operationLogMigrations = [{ name: '0000-create-remote-operations', class: CreateRemoteOperations }];
