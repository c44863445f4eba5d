import { Migration } from '@mikro-orm/migrations';

/** Searches find records by their amounts. */
export class FindAmounts extends Migration {
  override up(): void {
    this.addSql(`create index invoices_amount on invoices (amount_due, team_id, project_id)`);
    this.addSql(`create index payments_amount on payments (amount, team_id, project_id)`);
    this.addSql(
      `create index subscriptions_amount on subscriptions (((items -> 0 ->> 'unitAmount')::bigint), team_id, project_id)`,
    );
  }
}
