import { Migration } from '@mikro-orm/migrations';

export class CreateCustomers extends Migration {
  override up(): void {
    this.addSql(`
      create table customers (
        id text primary key,
        team_id text not null,
        project_id text not null,
        email text not null,
        name text,
        metadata jsonb not null,
        processor_customer_id text,
        processor_updated_at timestamptz,
        awaits_webhook boolean not null,
        version int not null,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        deleted_at timestamptz
      )`);
    this.addSql(`
      create unique index customers_processor_customer_id_unique
        on customers (team_id, project_id, processor_customer_id) where deleted_at is null`);
    this.addSql(`create index customers_newest on customers (team_id, project_id, created_at, id)`);
    this.addSql(`create index customers_by_processor_customer_id on customers (team_id, processor_customer_id)`);
    this.addSql(`
      create table customer_emails (
        team_id text not null,
        project_id text not null,
        email text not null,
        customer_id text not null,
        primary key (team_id, project_id, email)
      )`);
    this.addSql(`create index customer_emails_by_customer on customer_emails (customer_id)`);
  }
}
