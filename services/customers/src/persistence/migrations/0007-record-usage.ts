import { Migration } from '@mikro-orm/migrations';

export class RecordUsage extends Migration {
  override up(): void {
    this.addSql(`
      create table usage_events (
        team_id text not null,
        project_id text not null,
        id text not null,
        position bigserial,
        customer_id text not null,
        meter text not null,
        value bigint not null,
        at timestamptz not null,
        status text not null check (status in ('pending', 'sent', 'rejected')),
        reason jsonb,
        identifier text not null,
        key_version int not null,
        created_at timestamptz not null,
        first_sent_at timestamptz,
        sent_at timestamptz,
        primary key (team_id, project_id, id)
      )`);
    this.addSql(`create index usage_events_newest on usage_events (team_id, project_id, created_at, id)`);
    this.addSql(
      `create index usage_events_not_sent on usage_events (team_id, project_id, created_at, id) where status <> 'sent'`,
    );
    this.addSql(
      `create index usage_events_of_customer on usage_events (team_id, project_id, customer_id, created_at, id)`,
    );
    this.addSql(`
      create index usage_events_pending on usage_events (team_id, project_id, customer_id, meter, position)
       where status = 'pending'`);
    this.addSql(`create index usage_events_by_identifier on usage_events (team_id, identifier)`);
    this.addSql(`create index usage_events_old on usage_events (created_at) where status <> 'pending'`);
    this.addSql(`
      create table usage_queues (
        team_id text not null,
        project_id text not null,
        customer_id text not null,
        meter text not null,
        due_at timestamptz not null,
        lease_id uuid,
        failures int not null,
        primary key (team_id, project_id, customer_id, meter)
      )`);
    this.addSql(`create index usage_queues_due on usage_queues (team_id, due_at)`);
    this.addSql(`create index usage_queues_leased on usage_queues (due_at) where lease_id is not null`);
    this.addSql(`
      create table usage_checks (
        team_id text primary key,
        last_sent_at timestamptz not null,
        read_at timestamptz,
        due_at timestamptz not null,
        lease_id uuid
      )`);
    this.addSql(`create index usage_checks_due on usage_checks (team_id, due_at)`);
  }
}
