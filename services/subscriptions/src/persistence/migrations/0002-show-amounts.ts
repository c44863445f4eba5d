import { Migration } from '@mikro-orm/migrations';

/** Columns for what subscriptions show. The next event of a subscription fills them and the new fields of its items. */
export class ShowAmounts extends Migration {
  override up(): void {
    this.addSql(`
      alter table subscriptions
        add column canceled_at timestamptz,
        add column pause_behavior text,
        add column pause_resumes_at timestamptz`);
    // No event follows an end.
    this.addSql(`update subscriptions set canceled_at = ended_at where status = 'canceled'`);
  }
}
