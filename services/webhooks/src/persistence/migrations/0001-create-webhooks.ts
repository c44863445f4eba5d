import { Migration } from '@mikro-orm/migrations';

export class CreateWebhooks extends Migration {
  override up(): void {
    this.#createAccounts();
    this.#createEvents();
    this.#createRoutes();
    this.#createReconciliations();
    this.#createSyncs();
  }

  #createAccounts(): void {
    this.addSql(`
      create table processor_accounts (
        team_id text primary key,
        account_id text not null,
        livemode boolean not null,
        publishable_key text,
        sealed_secret_key text,
        secret_key_last4 text not null,
        webhook_endpoint_id text,
        version int not null,
        connected_at timestamptz not null,
        updated_at timestamptz not null,
        disconnected_at timestamptz,
        purged_at timestamptz
      )`);
    this.addSql(`
      create table signing_secrets (
        id uuid primary key,
        team_id text not null,
        sealed_secret text not null,
        valid_until timestamptz,
        is_additional boolean not null
      )`);
    this.addSql(`create index signing_secrets_team on signing_secrets (team_id)`);
    this.addSql(`
      create table refused_signatures (
        team_id text not null,
        minute timestamptz not null,
        refused int not null,
        primary key (team_id, minute)
      )`);
    this.addSql(`
      create table endpoint_leases (
        team_id text primary key,
        lease_id uuid not null,
        leased_until timestamptz not null
      )`);
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

  #createEvents(): void {
    // Payloads are stored out of line, so that a change of status does not write them again.
    this.addSql(`
      create table webhook_events (
        team_id text not null,
        id text not null,
        type text not null,
        api_version text,
        livemode boolean not null,
        object_id text,
        sync_id text,
        payload json,
        payload_bytes int not null,
        trace jsonb not null,
        status text not null,
        project_id text,
        routed_by text,
        routed_to text[] not null,
        awaiting text[] not null,
        failed_in text[] not null,
        attempts int not null,
        error text,
        due_at timestamptz,
        lease_id uuid,
        routing_attempts int not null,
        replays int not null,
        waiting_for text[],
        version int not null,
        processor_created_at timestamptz not null,
        received_at timestamptz not null,
        processed_at timestamptz,
        recovered boolean not null,
        primary key (team_id, id)
      ) with (toast_tuple_target = 128)`);
    this.addSql(`create index webhook_events_newest on webhook_events (team_id, project_id, received_at, id)`);
    // Due events are found team by team, so that those of one don't stand in front of another's.
    this.addSql(`
      create index webhook_events_due_of_team on webhook_events (team_id, due_at) where due_at is not null`);
    // How much of each team is in flight is counted with each lease.
    this.addSql(`
      create index webhook_events_in_flight on webhook_events (due_at) where lease_id is not null or awaiting <> '{}'`);
    this.addSql(`create index webhook_events_of_sync on webhook_events (sync_id) where sync_id is not null`);
    // Rows lie in the order in which they were received, so that blocks of rows are index enough.
    this.addSql(`create index webhook_events_received on webhook_events using brin (received_at)`);
    // Many rows wait for their project, of which one id finds a few.
    this.addSql(`
      create index webhook_events_waiting on webhook_events using gin (waiting_for) where waiting_for is not null`);
    this.addSql(`
      create index webhook_events_foreign on webhook_events (received_at)
       where error = 'foreign' and payload is not null`);
  }

  #createRoutes(): void {
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
      create table customer_look_ups (
        team_id text not null,
        processor_customer_id text not null,
        valid_until timestamptz not null,
        has_ended boolean not null,
        project_id text,
        primary key (team_id, processor_customer_id)
      )`);
    this.addSql(`create index customer_look_ups_valid on customer_look_ups (valid_until)`);
  }

  #createReconciliations(): void {
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

  #createSyncs(): void {
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
        created_at timestamptz,
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
