import { Migration } from '@mikro-orm/migrations';

/** Rises from no revenue are counted apart. The service counts the projects from before again by itself. */
export class ReactivatedRevenue extends Migration {
  override up(): void {
    this.addSql(`alter table projects alter column format set default 3`);
  }
}
