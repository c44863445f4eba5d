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
        account_id text not null, -- Stripe's id of the account that it belongs to: what it signs is that account's
        sealed_secret text not null, -- opens with a master key, for this team only
        valid_until timestamptz, -- null for current and additional ones, a replaced one is accepted until then
        is_additional boolean not null -- of one more endpoint, valid as long as it is listed
      )`);
    this.addSql(`create index signing_secrets_team on signing_secrets (team_id)`);
    this.addSql(`
      create table refused_signatures (
        team_id text not null,
        minute timestamptz not null,
        refused int not null, -- webhooks of this minute whose signature was refused
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
        step text not null, -- 'started' or 'finished'
        project_ids text[] not null, -- the team's projects when it began
        reported text[] not null, -- the services that have done the step
        until timestamptz not null -- the latest time of a report, by the clock of its service
      )`);
  }

  #createEvents(): void {
    // Payloads are stored out of line, so that a change of status does not write them again. The target has room for all else:
    // below it, short values would go out of line, too, each with a row and an index entry of its own.
    this.addSql(`
      create table webhook_events (
        team_id text not null,
        id text not null, -- Stripe's event id
        type text not null,
        api_version text,
        livemode boolean not null,
        object_id text,
        sync_id text, -- the sync that has read the object, in place of an event of Stripe's
        payload text, -- the whole event in JSON, null once it was deleted
        payload_bytes int not null,
        trace jsonb not null, -- of the request that brought it: what is done about the event belongs to it
        status text not null,
        project_id text, -- whose record this is: the one that the event names, or the first it was routed to
        routed_by text,
        routed_to text[] not null, -- every project that it was published to
        awaiting text[] not null, -- those of them whose outcome is still to come
        failed_in text[] not null, -- those of them in which it failed
        attempts int not null,
        error text,
        due_at timestamptz, -- when it must be processed next, the end of the lease meanwhile, null while nothing is to be done
        lease_id uuid,
        routing_attempts int not null, -- how often it was leased to find its project
        replays int not null, -- how often it was replayed: a replay is published under new ids
        waiting_for text[], -- Stripe's ids that could lead to its project: a route of one makes it due
        processor_created_at timestamptz not null,
        received_at timestamptz not null,
        processed_at timestamptz,
        recovered boolean not null, -- the reconciler found it at Stripe, since no webhook had delivered it
        primary key (team_id, id)
      ) with (toast_tuple_target = 640)`);
    this.addSql(`create index webhook_events_newest on webhook_events (team_id, project_id, received_at, id)`);
    this.addSql(`create index webhook_events_of_object on webhook_events (team_id, object_id)`);
    // Due events are found team by team, so that those of one don't stand in front of another's.
    this.addSql(`
      create index webhook_events_due_of_team on webhook_events (team_id, due_at) where due_at is not null`);
    // How much of each team is in flight is counted now and then.
    this.addSql(`
      create index webhook_events_in_flight on webhook_events (due_at) where lease_id is not null or awaiting <> '{}'`);
    this.addSql(`create index webhook_events_of_sync on webhook_events (sync_id) where sync_id is not null`);
    this.addSql(`create index webhook_events_failed on webhook_events (team_id) where status = 'failed'`);
    // What goes first, when a team has no room or after its time: failed events last, since they can be replayed.
    this.addSql(`
      create index webhook_events_payloads on webhook_events (team_id, (case status when 'failed' then 1 else 0 end), received_at)
       where payload is not null and status <> 'received' and sync_id is null`);
    this.addSql(`
      create index webhook_events_without_payload on webhook_events (team_id, status, received_at)
       where payload is null`);
    this.addSql(`
      create table webhook_event_totals (
        team_id text not null,
        project_id text not null,
        total bigint not null, -- events with this project, those whose records are deleted too
        processed bigint not null,
        failed bigint not null,
        version bigint not null, -- counts what was published of them
        primary key (team_id, project_id)
      )`);
    this.addSql(`
      create table stored_bytes (
        team_id text not null,
        store text not null, -- a table, a partition, raw_objects: the tables of the team's schema, or syncs: all rows of these
        bytes bigint not null, -- of what the rows carry, and about what a row costs
        primary key (team_id, store)
      ) with (fillfactor = 50)`);
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
        resource_id text not null, -- our id of the customer, product or price, of a subscription, Stripe's
        kind text not null,
        processor_id text not null,
        project_id text not null,
        version int not null, -- of the newest state that led here, as its owner counts
        created_at timestamptz not null,
        deleted boolean not null, -- such a record leads to its project only where no live one exists
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
        has_ended boolean not null, -- false while the look-up runs
        project_id text, -- the one that the customer's metadata named, it may be another team's
        primary key (team_id, processor_customer_id)
      )`);
    this.addSql(`create index customer_look_ups_valid on customer_look_ups (valid_until)`);
  }

  #createReconciliations(): void {
    this.addSql(`
      create table reconciliations (
        team_id text primary key,
        account_id text not null, -- another Stripe account has other events: for one the scan starts again
        scanned_until timestamptz not null, -- every event from before then, by Stripe's time, has been scanned
        has_backfilled boolean not null, -- whether events undelivered before the connection have been scanned
        due_at timestamptz not null, -- when to scan next, the end of the lease while a scan runs
        lease_id uuid,
        failures int not null -- scans that failed one after another
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
        object json, -- as it was read: only while it is to be applied, and no row of webhook_events has it yet
        read_at timestamptz not null, -- by Stripe's clock
        email text, -- of a customer, trimmed and in lower case
        created_at timestamptz, -- of the processor's object, as far as it says
        is_marked boolean not null, -- whether its metadata at Stripe names the project
        outcome text not null,
        record_id text,
        name text, -- what people know it by
        parent_id text, -- the processor's id of a price's product, or of the customer
        parent_name text,
        parent_record_id text,
        fields jsonb not null,
        reason text,
        applied boolean not null,
        checks int not null, -- how often it was read again
        due_at timestamptz,
        primary key (sync_id, type, processor_id)
      )`);
    this.addSql(`create index sync_objects_state on sync_objects (sync_id, type, state, processor_id)`);
    this.addSql(`create index sync_objects_team on sync_objects (team_id)`);
  }
}
