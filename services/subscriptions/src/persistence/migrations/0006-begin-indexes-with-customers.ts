import { Migration } from '@mikro-orm/migrations';

/**
 * Leaves one index that begins with the team and the project: that of the newest rows. A list would otherwise take any of them while
 * the statistics say that the project has few rows, and sort all that it has.
 */
export class BeginIndexesWithCustomers extends Migration {
  override up(): void {
    this.addSql(`drop index subscriptions_customer`);
    this.addSql(`create index subscriptions_customer on subscriptions (customer_id, team_id, project_id)`);
    this.addSql(`drop index subscriptions_processor_customer`);
    this.addSql(
      `create index subscriptions_processor_customer on subscriptions (processor_customer_id, team_id, project_id)`,
    );
    this.addSql(`drop index invoices_customer`);
    this.addSql(`create index invoices_customer on invoices (customer_id, team_id, project_id)`);
    this.addSql(`drop index payments_customer`);
    this.addSql(`create index payments_customer on payments (customer_id, team_id, project_id)`);
  }
}
