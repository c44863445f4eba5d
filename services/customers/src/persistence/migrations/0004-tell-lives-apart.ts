import { Migration } from '@mikro-orm/migrations';

/**
 * A processor's id may live twice. Existing rows have no `processor_created_at`: a live one is of any object with its id, until an
 * event sets it, and a deleted one of any that was created before its deletion.
 */
export class TellLivesApart extends Migration {
  override up(): void {
    this.addSql(`alter table customers add column processor_created_at timestamptz`);
  }
}
