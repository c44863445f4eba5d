import { Migration } from '@mikro-orm/migrations';

export class CreateKnownCustomersAndCatalog extends Migration {
  override up(): void {
    this.addSql(`
      create table known_customers (
        id text primary key,
        team_id text not null,
        project_id text not null,
        processor_customer_id text not null,
        version int not null,
        created_at timestamptz not null,
        deleted_at timestamptz,
        payment_method_as_of timestamptz
      )`);
    this.addSql(
      `create index known_customers_processor_id on known_customers (team_id, project_id, processor_customer_id)`,
    );
    this.addSql(`
      create table known_products (
        id text primary key,
        team_id text not null,
        project_id text not null,
        name text not null,
        is_active boolean not null,
        version int not null,
        deleted_at timestamptz
      )`);
    this.addSql(`
      create table known_prices (
        id text primary key,
        team_id text not null,
        project_id text not null,
        product_id text not null,
        type text not null,
        is_active boolean not null,
        processor_price_id text not null,
        version int not null,
        deleted_at timestamptz
      )`);
    this.addSql(`create index known_prices_processor_id on known_prices (team_id, project_id, processor_price_id)`);
  }
}
