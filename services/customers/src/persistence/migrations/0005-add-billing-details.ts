import { Migration } from '@mikro-orm/migrations';

/** Who is billed. That of a recorded customer becomes known with its next event, by a sync, or when it is asked for. */
export class AddBillingDetails extends Migration {
  override up(): void {
    this.addSql(`
      alter table customers
        add column billing jsonb,
        add column tax_ids jsonb,
        add column tax_location text not null default 'unknown',
        add column own_invoice_fields jsonb not null default '[]',
        add column billing_sequence int not null default 0,
        add column billing_updated_at timestamptz`);
    this.addSql(`
      alter table customers
        alter column tax_location drop default,
        alter column own_invoice_fields drop default,
        alter column billing_sequence drop default`);
  }
}
