import { Migration } from '@mikro-orm/migrations';

/** Whether a price is metered. The next event of a price corrects the default; checkouts call the catalog first. */
export class CopyMetered extends Migration {
  override up(): void {
    this.addSql(`alter table price_copies add column metered boolean not null default false`);
  }
}
