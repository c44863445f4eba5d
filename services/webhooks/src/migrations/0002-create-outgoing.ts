import { Migration } from '@mikro-orm/migrations';

export class CreateOutgoing extends Migration {
  override up(): void {
    this.#createEvents();
    this.#createEndpoints();
    this.#createDeliveries();
  }

  #createEvents(): void {
    this.addSql(`
      create table event_positions (
        team_id text not null,
        project_id text not null,
        position bigint not null, -- of the project's newest event; its lock makes positions follow the order of commits
        epoch int not null default 0, -- how often the team was purged
        primary key (team_id, project_id)
      )`);
    this.addSql(`
      create table event_sequences (
        team_id text not null,
        project_id text not null,
        object_type text not null,
        object_id text not null,
        sequence int not null, -- of the object's newest event
        primary key (team_id, project_id, object_type, object_id)
      )`);
    this.addSql(`
      create table events (
        team_id text not null,
        project_id text not null,
        position bigint not null,
        id text not null,
        type text not null,
        object_type text not null,
        object_id text not null,
        sequence int not null,
        happened_at timestamptz not null,
        is_from_sync boolean not null,
        body text not null, -- the bytes that are sent
        is_erased boolean not null default false, -- the personal data of a deleted customer are gone
        recorded_at timestamptz not null, -- by this database's clock, as the days are
        primary key (team_id, project_id, position, recorded_at)
      ) partition by range (recorded_at)`);
    this.addSql(`create index events_id on events (team_id, project_id, id)`);
    this.addSql(`create index events_of_object on events (team_id, project_id, object_id, position)`);
  }

  #createEndpoints(): void {
    this.addSql(`
      create table webhook_endpoints (
        id text primary key,
        team_id text not null,
        project_id text not null,
        url text not null,
        description text,
        event_types text[] not null,
        max_concurrency int not null,
        include_sync boolean not null,
        api_version text not null,
        status text not null,
        disabled_reason text,
        failing_since timestamptz,
        last_success_at timestamptz,
        failures int not null,
        failed_object text,
        has_failed_two_objects boolean not null,
        is_warned boolean not null default false, -- its failure was reported to the owners
        position bigint not null, -- every event up to it is handled, or has a delivery
        wanted_position bigint not null, -- how far there are events, as far as anybody said
        due_at timestamptz, -- when it must be looked at next, the end of the lease meanwhile
        lease_id uuid,
        calls int not null default 0, -- how often deliveries were made due from outside; who has the lease looks for them
        sequence int not null default 0, -- of the events for tenants
        created_at timestamptz not null,
        updated_at timestamptz not null
      )`);
    this.addSql(`create index webhook_endpoints_newest on webhook_endpoints (team_id, project_id, created_at, id)`);
    this.addSql(`create index webhook_endpoints_due on webhook_endpoints (team_id, due_at) where due_at is not null`);
    this.addSql(`
      create table endpoint_secrets (
        id text primary key,
        team_id text not null,
        endpoint_id text not null,
        sealed_secret text not null, -- opens with a master key, for this team and endpoint only
        last4 text not null,
        created_at timestamptz not null,
        expires_at timestamptz -- null for the current one
      )`);
    this.addSql(`create index endpoint_secrets_endpoint on endpoint_secrets (endpoint_id)`);
    this.addSql(`
      create table endpoint_tests (
        team_id text not null,
        project_id text not null,
        times timestamptz[] not null, -- of the tests within a minute of the newest
        primary key (team_id, project_id)
      )`);
    this.addSql(`
      create table recoveries (
        id text primary key,
        team_id text not null,
        project_id text not null,
        endpoint_id text not null,
        only_which text not null,
        since timestamptz not null,
        until timestamptz not null,
        position bigint not null, -- every event up to it is queued
        to_position bigint not null,
        matched int not null,
        queued int not null,
        created_at timestamptz not null,
        finished_at timestamptz
      )`);
    this.addSql(`create unique index recoveries_one on recoveries (endpoint_id) where finished_at is null`);
  }

  #createDeliveries(): void {
    this.addSql(`
      create table webhook_deliveries (
        id text not null,
        team_id text not null,
        project_id text not null,
        endpoint_id text not null,
        position bigint not null, -- of the event
        event_id text not null,
        type text not null,
        object_key text not null,
        status text not null,
        attempts int not null, -- all of them
        failures int not null, -- automatic ones that failed, which the schedule counts
        trigger text not null, -- of the next attempt
        next_attempt_at timestamptz,
        created_at timestamptz not null,
        primary key (endpoint_id, position, created_at)
      ) partition by range (created_at)`);
    this.addSql(`create index webhook_deliveries_newest on webhook_deliveries (team_id, project_id, created_at, id)`);
    this.addSql(`create index webhook_deliveries_of_endpoint on webhook_deliveries (endpoint_id, created_at, id)`);
    this.addSql(`
      create index webhook_deliveries_unsuccessful on webhook_deliveries (team_id, project_id, status, created_at, id)
       where status <> 'succeeded'`);
    this.addSql(`create index webhook_deliveries_id on webhook_deliveries (team_id, project_id, id)`);
    this.addSql(`create index webhook_deliveries_event on webhook_deliveries (team_id, project_id, event_id)`);
    this.addSql(`
      create index webhook_deliveries_waiting on webhook_deliveries (endpoint_id, next_attempt_at, position)
       where next_attempt_at is not null`);
    this.addSql(`
      create table delivery_attempts (
        delivery_id text not null,
        team_id text not null,
        project_id text not null,
        number int not null,
        trigger text not null,
        at timestamptz not null,
        duration_ms int not null,
        response_status int,
        response_body text,
        error text,
        address text,
        primary key (delivery_id, number, at)
      ) partition by range (at)`);
  }
}
