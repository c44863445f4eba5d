import { Migration } from '@mikro-orm/migrations';

/**
 * The keys of prices, and which is the newest of several; copies have neither before the next event of their price. Statements of
 * the version before take an unqualified `key` for that of a feature, so that the column has another name.
 */
export class CopyPriceKeys extends Migration {
  override up(): void {
    this.addSql(`alter table price_copies add column catalog_key text, add column created_at timestamptz`);
    this.addSql(`create index price_copies_key on price_copies (team_id, project_id, catalog_key)`);
  }
}
