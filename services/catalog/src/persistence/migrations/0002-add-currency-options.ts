import { Migration } from '@mikro-orm/migrations';

/**
 * Amounts of coupons and promotion codes in other currencies. Coupons and codes that are recorded already have none until they
 * are read at the processor again, as a sync does; what is redeemed and billed never depends on these columns.
 */
export class AddCurrencyOptions extends Migration {
  override up(): void {
    for (const table of ['coupons', 'promotion_codes']) {
      this.addSql(`alter table ${table} add column currency_options jsonb not null default '{}'`);
      this.addSql(`alter table ${table} alter column currency_options drop default`);
    }
  }
}
