import { Migration } from '@mikro-orm/migrations';

/** The discounts of customers. That of a recorded customer becomes known with the customer's next event, or by a sync. */
export class AddCustomerDiscounts extends Migration {
  override up(): void {
    this.addSql(`alter table customers add column discount_id text`);
  }
}
