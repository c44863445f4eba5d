import { Migration } from '@mikro-orm/migrations';

/** Searches find any letter in any case, whatever locale the database has. The rows stay as they are. */
export class FoldSearchedTexts extends Migration {
  override up(): void {
    this.addSql(`drop index customers_search`);
    this.addSql(`
      create index customers_search
        on customers using gin (project_id, (casefold(email collate pg_unicode_fast)) gin_trgm_ops, (casefold(name collate pg_unicode_fast)) gin_trgm_ops, (casefold(external_id collate pg_unicode_fast)) gin_trgm_ops) with (fastupdate = off)`);
  }
}
