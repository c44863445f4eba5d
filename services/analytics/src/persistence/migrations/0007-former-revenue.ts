import { Migration } from '@mikro-orm/migrations';

/**
 * What subscriptions were worth that are first known as canceled, so that the history shows their revenue and its loss. The
 * service counts the projects from before again by itself, which fills the column.
 */
export class FormerRevenue extends Migration {
  override up(): void {
    this.addSql(`alter table revenue_periods add column former_revenue json`);
    this.addSql(`alter table projects alter column format set default 6`);
  }
}
