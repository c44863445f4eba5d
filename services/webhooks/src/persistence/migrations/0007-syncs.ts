import { Migration } from '@mikro-orm/migrations';

export class Syncs extends Migration {
  override up(): void {
    this.addSql(`
      create table syncs (
        id text primary key,
        team_id text not null,
        project_id text not null,
        mode text not null,
        status text not null,
        types text[] not null,
        filter jsonb not null,
        mark_at_processor boolean not null,
        nightly boolean not null,
        type text not null,
        phase text not null,
        after text,
        progress jsonb not null,
        counts jsonb,
        error jsonb,
        created_at timestamptz not null,
        started_at timestamptz,
        finished_at timestamptz,
        due_at timestamptz,
        lease_id uuid,
        failures int not null
      )`);
    this.addSql(`create unique index syncs_one_per_team on syncs (team_id) where status in ('queued', 'running')`);
    this.addSql(`create index syncs_newest on syncs (team_id, project_id, created_at, id)`);
    this.addSql(`create index syncs_due on syncs (due_at) where due_at is not null`);
    this.addSql(`
      create table sync_objects (
        sync_id text not null,
        type text not null,
        processor_id text not null,
        team_id text not null,
        project_id text not null,
        state text not null,
        object json,
        read_at timestamptz not null,
        email text,
        is_marked boolean not null,
        outcome text not null,
        record_id text,
        fields jsonb not null,
        reason text,
        applied boolean not null,
        checks int not null,
        due_at timestamptz,
        primary key (sync_id, type, processor_id)
      )`);
    this.addSql(`create index sync_objects_state on sync_objects (sync_id, type, state, processor_id)`);
    this.addSql(`create index sync_objects_team on sync_objects (team_id)`);
  }
}
