import { Migration } from '@mikro-orm/migrations';

/** Meters of prices. A metered price that is recorded already shows none. */
export class NameMeters extends Migration {
  override up(): void {
    this.addSql(`alter table prices add column meter text`);
  }
}
