import { Migration } from '@mikro-orm/migrations';

/** What a checkout sells, of which it named the only price before. */
export class NameSoldPrices extends Migration {
  override up(): void {
    this.addSql(`alter table checkout_sessions add column price_ids text[] not null default '{}'`);
  }
}
