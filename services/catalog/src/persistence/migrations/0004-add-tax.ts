import { Migration } from '@mikro-orm/migrations';

/**
 * Tax codes of products and tax behaviors of prices. Records that exist already show none until they are read at the processor
 * again, as a sync does; how they are taxed never depends on these columns.
 */
export class AddTax extends Migration {
  override up(): void {
    this.addSql(`alter table products add column tax_code text`);
    this.addSql(`
      alter table prices add column tax_behavior text not null default 'unspecified'
        check (tax_behavior in ('inclusive', 'exclusive', 'unspecified'))`);
    this.addSql(`alter table prices alter column tax_behavior drop default`);
  }
}
