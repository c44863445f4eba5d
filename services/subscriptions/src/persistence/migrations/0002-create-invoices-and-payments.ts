import { Migration } from '@mikro-orm/migrations';

export class CreateInvoicesAndPayments extends Migration {
  override up(): void {
    this.addSql(`
      create table invoices (
        id text primary key,
        team_id text not null,
        project_id text not null,
        processor_invoice_id text not null,
        customer_id text not null,
        subscription_id text,
        processor_subscription_id text,
        number text,
        status text not null,
        amount_due bigint not null,
        amount_paid bigint not null,
        amount_remaining bigint not null,
        currency text not null,
        billing_reason text,
        hosted_invoice_url text,
        invoice_pdf_url text,
        period_start timestamptz,
        period_end timestamptz,
        due_date timestamptz,
        paid_at timestamptz,
        version int not null,
        as_of timestamptz not null,
        as_of_rank smallint not null,
        as_of_event text not null,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint invoices_processor_id_unique unique (team_id, project_id, processor_invoice_id)
      )`);
    this.addSql(`create index invoices_newest on invoices (team_id, project_id, created_at, id)`);
    this.addSql(`create index invoices_customer on invoices (team_id, project_id, customer_id)`);
    this.addSql(
      `create index invoices_processor_subscription on invoices (team_id, project_id, processor_subscription_id)`,
    );
    this.addSql(`
      create table payments (
        team_id text not null,
        project_id text not null,
        processor_id text not null,
        kind text not null,
        customer_id text,
        processor_payment_intent_id text,
        status text not null,
        amount bigint not null,
        currency text not null,
        failure_code text,
        as_of timestamptz not null,
        as_of_event text not null,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        primary key (team_id, project_id, processor_id)
      )`);
    this.addSql(`create index payments_customer on payments (team_id, project_id, customer_id)`);
  }
}
