import { Migration } from '@mikro-orm/migrations';

export class LetPayloadsGo extends Migration {
  override up(): void {
    this.addSql(`alter table webhook_events alter column payload drop not null`);
    this.addSql(`create index webhook_events_payloads on webhook_events (received_at) where payload is not null`);
  }
}
