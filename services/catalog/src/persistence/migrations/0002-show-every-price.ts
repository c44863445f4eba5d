import { Migration } from '@mikro-orm/migrations';

/** What is billed where a price has no single whole amount. The next event of such a price fills it. */
export class ShowEveryPrice extends Migration {
  override up(): void {
    this.addSql(`
      alter table prices
        add column unit_amount_decimal text,
        add column billing_scheme text not null default 'per_unit' check (billing_scheme in ('per_unit', 'tiered')),
        add column metered boolean not null default false`);
    this.addSql(`update prices set unit_amount_decimal = unit_amount::text where unit_amount is not null`);
    this.addSql(`update prices set billing_scheme = 'tiered' where unit_amount is null`);
  }
}
