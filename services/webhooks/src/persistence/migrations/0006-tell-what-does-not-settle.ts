import { Migration } from '@mikro-orm/migrations';

export class TellWhatDoesNotSettle extends Migration {
  override up(): void {
    this.addSql(`alter table webhook_events add column tell_at timestamptz`);
    this.addSql(`create index webhook_events_untold on webhook_events (tell_at) where tell_at is not null`);
  }
}
