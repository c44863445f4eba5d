import { Migration } from '@mikro-orm/migrations';

/**
 * A processor's id may live twice, each life in a row of its own: unique is the one that is not deleted. Existing rows have
 * no `processor_created_at`; the next event of a live one sets it, and a deleted one is taken to be of any object that was
 * created before its deletion.
 */
export class AllowSecondLives extends Migration {
  override up(): void {
    for (const table of ['products', 'prices', 'coupons', 'promotion_codes']) {
      this.addSql(`alter table ${table} add column processor_created_at timestamptz`);
      this.addSql(`alter table ${table} drop constraint ${table}_processor_id_unique`);
      this.addSql(`
        create unique index ${table}_processor_id_unique
          on ${table} (team_id, project_id, processor_id) where deleted_at is null`);
      this.addSql(`create index ${table}_by_processor_id on ${table} (team_id, project_id, processor_id)`);
    }
  }
}
