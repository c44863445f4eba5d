import { Migration } from '@mikro-orm/migrations';

/**
 * Amounts of prices in other currencies. Prices that are recorded already show none until they are read at the processor again,
 * as a sync does; what they are sold and billed in never depends on this column.
 */
export class AddPriceCurrencies extends Migration {
  override up(): void {
    this.addSql(`alter table prices add column currency_options jsonb not null default '{}'`);
    this.addSql(`alter table prices alter column currency_options drop default`);
  }
}
