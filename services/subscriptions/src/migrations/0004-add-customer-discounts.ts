import { Migration } from '@mikro-orm/migrations';

/**
 * Discounts of customers. Those that customers have already become known with the next event or sync of the customer; until then
 * subscriptions are recorded without them, as before. Recorded discounts are those of subscriptions (`billedDiscount`).
 */
export class AddCustomerDiscounts extends Migration {
  override up(): void {
    this.addSql(`alter table customer_copies add column discount_id text`);
  }
}
