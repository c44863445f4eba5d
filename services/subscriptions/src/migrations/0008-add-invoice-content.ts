import { Migration } from '@mikro-orm/migrations';

/** What invoices bill and tax. That of a recorded one becomes known with its next event, or by a sync. */
export class AddInvoiceContent extends Migration {
  override up(): void {
    this.addSql(`
      alter table invoices
        add column subtotal bigint,
        add column discount bigint,
        add column tax bigint,
        add column total bigint,
        add column taxes jsonb not null default '[]',
        add column customer_tax_ids jsonb not null default '[]',
        add column purchase_order text,
        add column lines jsonb not null default '[]',
        add column is_erased boolean not null default false`);
    this.addSql(`
      alter table invoices
        alter column taxes drop default,
        alter column customer_tax_ids drop default,
        alter column lines drop default,
        alter column is_erased drop default`);
    this.addSql(`
      update invoices invoice set is_erased = true
        from customer_copies customer
       where customer.id = invoice.customer_id and customer.deleted_at is not null
         and (customer.team_id, customer.project_id) = (invoice.team_id, invoice.project_id)`);
  }
}
