import { Migration } from '@mikro-orm/migrations';

/** Whether checkouts of a project compute tax unless they say otherwise; those of earlier projects do not. */
export class AddAutomaticTax extends Migration {
  override up(): void {
    this.addSql(`alter table projects add column automatic_tax boolean not null default false`);
    this.addSql(`alter table projects alter column automatic_tax drop default`);
  }
}
