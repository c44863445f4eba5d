import { Migration } from '@mikro-orm/migrations';

export class CreateHealingCursors extends Migration {
  override up(): void {
    this.addSql(`
      create table healing_cursors (
        team_id text primary key,
        account_id text not null,
        healed_until timestamptz not null,
        looked_back boolean not null,
        claim_id uuid,
        due_at timestamptz not null,
        failures int not null
      )`);
    this.addSql(`alter table webhook_events add column recovered boolean not null default false`);
  }
}
