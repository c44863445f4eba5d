import { Migration } from '@mikro-orm/migrations';

export class CreateWebhookEvents extends Migration {
  override up(): void {
    // Payloads stand aside, so that a change of status does not write them again.
    this.addSql(`
      create table webhook_events (
        team_id text not null,
        id text not null,
        type text not null,
        api_version text,
        livemode boolean not null,
        object_id text,
        payload json not null,
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
        claim_id uuid,
        routing_attempts int not null,
        waiting_for text[],
        version int not null,
        processor_created_at timestamptz not null,
        received_at timestamptz not null,
        processed_at timestamptz,
        primary key (team_id, id)
      ) with (toast_tuple_target = 128)`);
    this.addSql(`create index webhook_events_newest on webhook_events (team_id, project_id, received_at, id)`);
    this.addSql(`create index webhook_events_due on webhook_events (due_at) where due_at is not null`);
    this.addSql(`create index webhook_events_unrouted on webhook_events (team_id) where waiting_for is not null`);
  }
}
