import { Migration } from '@mikro-orm/migrations';

/** The currencies that prices are sold in; copies have none before the next event or sale of their price. */
export class CopyPriceCurrencies extends Migration {
  override up(): void {
    this.addSql(`alter table price_copies add column currency text, add column currency_options jsonb`);
  }
}
