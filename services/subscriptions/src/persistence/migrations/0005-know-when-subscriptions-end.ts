import { Migration } from '@mikro-orm/migrations';

export class KnowWhenSubscriptionsEnd extends Migration {
  override up(): void {
    this.addSql(`alter table subscriptions add column cancel_at timestamptz`);
    this.addSql(`update subscriptions set cancel_at = current_period_end where cancel_at_period_end`);
  }
}
