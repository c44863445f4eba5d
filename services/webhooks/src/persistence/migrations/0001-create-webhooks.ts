import { Migration } from '@mikro-orm/migrations';

export class CreateWebhooks extends Migration {
  override up(): void {
    this.addSql(`
      create table processor_accounts (
        team_id text primary key,
        account_id text not null,
        livemode boolean not null,
        publishable_key text not null,
        sealed_secret_key text not null,
        secret_key_last4 text not null,
        version int not null,
        connected_at timestamptz not null,
        updated_at timestamptz not null
      )`);
    this.addSql(`
      create table signing_secrets (
        id uuid primary key,
        team_id text not null,
        sealed_secret text not null,
        valid_until timestamptz
      )`);
    this.addSql(`create index signing_secrets_team on signing_secrets (team_id)`);

    // Payloads are stored out of line, so that a change of status does not write them again.
    this.addSql(`
      create table webhook_events (
        team_id text not null,
        id text not null,
        type text not null,
        api_version text,
        livemode boolean not null,
        object_id text,
        payload json,
        payload_bytes int not null,
        trace jsonb not null,
        status text not null,
        project_id text,
        routed_by text,
        routed_to text[] not null,
        awaiting text[] not null,
        failed_in text[] not null,
        outcome text,
        attempts int not null,
        error text,
        due_at timestamptz,
        lease_id uuid,
        routing_attempts int not null,
        replays int not null,
        pending_report_at timestamptz,
        waiting_for text[],
        version int not null,
        processor_created_at timestamptz not null,
        received_at timestamptz not null,
        processed_at timestamptz,
        recovered boolean not null,
        primary key (team_id, id)
      ) with (toast_tuple_target = 128)`);
    this.addSql(`create index webhook_events_newest on webhook_events (team_id, project_id, received_at, id)`);
    this.addSql(`create index webhook_events_due on webhook_events (due_at) where due_at is not null`);
    this.addSql(
      `create index webhook_events_pending on webhook_events (pending_report_at) where pending_report_at is not null`,
    );
    // Rows lie in the order in which they were received, so that blocks of rows are index enough.
    this.addSql(`create index webhook_events_received on webhook_events using brin (received_at)`);
    this.addSql(`create index webhook_events_unrouted on webhook_events (team_id) where waiting_for is not null`);

    this.addSql(`
      create table routes (
        team_id text not null,
        resource_id text not null,
        kind text not null,
        processor_id text not null,
        project_id text not null,
        version int not null,
        created_at timestamptz not null,
        deleted boolean not null,
        primary key (team_id, resource_id)
      )`);
    this.addSql(`create index routes_processor_id on routes (team_id, kind, processor_id)`);
    this.addSql(`
      create table project_copies (
        team_id text not null,
        project_id text not null,
        primary key (team_id, project_id)
      )`);

    this.addSql(`
      create table reconciliations (
        team_id text primary key,
        account_id text not null,
        scanned_until timestamptz not null,
        has_backfilled boolean not null,
        due_at timestamptz not null,
        lease_id uuid,
        failures int not null
      )`);
    this.addSql(`create index reconciliations_due on reconciliations (due_at)`);
  }
}
