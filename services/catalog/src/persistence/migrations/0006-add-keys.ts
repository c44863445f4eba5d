import { Migration } from '@mikro-orm/migrations';

/**
 * Keys of products, prices and coupons. No index makes them unique: the processor can bring one twice. Records that exist already
 * show one of their metadata once they are read at the processor again, as a sync does.
 */
export class AddKeys extends Migration {
  override up(): void {
    for (const table of ['products', 'prices', 'coupons']) {
      this.addSql(`alter table ${table} add column key text`);
      this.addSql(`create index ${table}_by_key on ${table} (team_id, project_id, key)`);
    }
  }
}
