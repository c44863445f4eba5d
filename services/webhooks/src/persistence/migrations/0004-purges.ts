import { Migration } from '@mikro-orm/migrations';

export class Purges extends Migration {
  override up(): void {
    this.addSql(`alter table processor_accounts add column purged_at timestamptz`);
    this.addSql(`
      create table account_purges (
        team_id text primary key,
        purge_id uuid not null,
        step text not null,
        project_ids text[] not null,
        reported text[] not null,
        until timestamptz not null
      )`);
  }
}
