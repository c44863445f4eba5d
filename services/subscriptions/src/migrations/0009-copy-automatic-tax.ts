import { Migration } from '@mikro-orm/migrations';

/** Whether checkouts of a project compute tax unless they say otherwise; no project did before its next event. */
export class CopyAutomaticTax extends Migration {
  override up(): void {
    this.addSql(`alter table project_copies add column automatic_tax boolean not null default false`);
    this.addSql(`alter table project_copies alter column automatic_tax drop default`);
  }
}
