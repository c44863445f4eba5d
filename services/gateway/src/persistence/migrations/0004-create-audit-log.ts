import { Migration } from '@mikro-orm/migrations';

/** The gateway may add entries and read them; PostgreSQL refuses everything else, unless the owner takes the rules away. */
export class CreateAuditLog extends Migration {
  override up(): void {
    this.addSql(`
      create table audit_entries (
        id text primary key,
        team_id text not null,
        project_id text,
        at timestamptz not null,
        actor_type text not null,
        actor_id text,
        action text not null,
        target_type text,
        target_id text,
        request_id text not null,
        address text,
        outcome text not null check (outcome in ('succeeded', 'refused')),
        changes jsonb not null
      )`);
    this.addSql(`create index audit_entries_team_id_index on audit_entries (team_id, at, id)`);
    this.addSql(`
      create function refuse_audit_change() returns trigger language plpgsql as
      'begin raise exception ''The audit log can only be added to.'' using errcode = ''insufficient_privilege''; end'`);
    this.addSql(`
      create trigger audit_entries_append_only before update or delete or truncate on audit_entries
        for each statement execute function refuse_audit_change()`);
    this.addSql(`revoke update, delete, truncate on audit_entries from current_user`);
  }
}
