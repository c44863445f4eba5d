import { Migration } from '@mikro-orm/migrations';

/** Subscriptions that are there have refused no payment method that is known. */
export class AddRefusedPaymentMethods extends Migration {
  override up(): void {
    this.addSql(`alter table subscriptions add column refused_payment_method jsonb`);
  }
}
