import { Migration } from '@mikro-orm/migrations';

/** A repeat of a request knows its advance; an older copy notes none. */
export class AdvanceClocksOnce extends Migration {
  override up(): void {
    this.addSql(`alter table test_clocks add column operation_key uuid`);
  }
}
