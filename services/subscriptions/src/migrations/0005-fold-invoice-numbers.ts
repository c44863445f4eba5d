import { Migration } from '@mikro-orm/migrations';

/** Searches find any letter in any case, whatever locale the database has. The rows stay as they are. */
export class FoldInvoiceNumbers extends Migration {
  override up(): void {
    this.addSql(`drop index invoices_number`);
    this.addSql(`
      create index invoices_number
        on invoices using gin (project_id, (casefold(number collate pg_unicode_fast)) gin_trgm_ops) with (fastupdate = off)`);
  }
}
