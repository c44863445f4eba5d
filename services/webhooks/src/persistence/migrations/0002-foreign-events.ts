import { Migration } from '@mikro-orm/migrations';

export class ForeignEvents extends Migration {
  override up(): void {
    this.addSql(`
      create table customer_look_ups (
        team_id text not null,
        processor_customer_id text not null,
        begun_at timestamptz not null,
        has_ended boolean not null,
        project_id text,
        primary key (team_id, processor_customer_id)
      )`);
    this.addSql(`create index customer_look_ups_begun on customer_look_ups (begun_at)`);

    // Foreign and failed events wait for their project as well: many rows, of which one id finds a few.
    this.addSql(`drop index webhook_events_unrouted`);
    this.addSql(`
      create index webhook_events_waiting on webhook_events using gin (waiting_for) where waiting_for is not null`);
    this.addSql(`
      update webhook_events set waiting_for = array_remove(array[
          object_id, payload #>> '{data,object,customer}', payload #>> '{data,object,subscription}',
          payload #>> '{data,object,product}'], null)
       where status = 'failed' and waiting_for is null and error like 'unroutable%' and payload is not null`);
    this.addSql(`
      create index webhook_events_foreign on webhook_events (received_at)
       where error = 'foreign' and payload is not null`);
  }
}
