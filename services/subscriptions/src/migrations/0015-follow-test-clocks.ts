import { Migration } from '@mikro-orm/migrations';

/** What lives on test clocks, and what time it is there. Nothing did before, and an older copy takes part of none. */
export class FollowTestClocks extends Migration {
  override up(): void {
    for (const table of ['subscriptions', 'invoices', 'payments'])
      this.addSql(`alter table ${table} add column test_clock_id text`);
    this.addSql(`alter table customer_copies add column test_clock_id text, add column test_clock_now timestamptz`);
    this.addSql(`
      create index customer_copies_on_test_clock on customer_copies (team_id, project_id) where test_clock_id is not null`);
  }
}
