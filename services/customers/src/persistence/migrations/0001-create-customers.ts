import { Migration } from '@mikro-orm/migrations';

export class CreateCustomers extends Migration {
  override up(): void {
    this.addSql(`
      create table customers (
        id text primary key,
        team_id text not null,
        project_id text not null,
        email text,
        wanted_email text,
        name text,
        external_id text,
        metadata jsonb not null,
        processor_id text,
        linked_to_existing boolean not null,
        balance jsonb,
        processor_updated_at timestamptz,
        awaits_webhook boolean not null,
        version int not null,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        sequence int not null, -- of the events for tenants
        deleted_at timestamptz
      )`);
    // One customer for each of the processor's in a project. A customer may be created again after its deletion.
    this.addSql(`
      create unique index customers_processor_id_unique
        on customers (team_id, project_id, processor_id) where deleted_at is null`);
    this.addSql(`create index customers_newest on customers (team_id, project_id, created_at, id)`);
    this.addSql(`create index customers_by_processor_id on customers (team_id, processor_id)`);

    this.addSql(`
      create index customers_by_wanted_email
        on customers (team_id, project_id, wanted_email) where wanted_email is not null`);

    this.addSql(`
      create index customers_search
        on customers using gin (project_id, email gin_trgm_ops, name gin_trgm_ops, external_id gin_trgm_ops) with (fastupdate = off)`);

    // The key makes e-mails and external ids unique in a project.
    this.addSql(`
      create table customer_identifiers (
        team_id text not null,
        project_id text not null,
        kind text not null,
        value text not null,
        customer_id text not null,
        primary key (team_id, project_id, kind, value)
      )`);
    this.addSql(`create index customer_identifiers_by_customer on customer_identifiers (customer_id)`);

    this.addSql(`
      create table grants (
        team_id text not null,
        project_id text not null,
        customer_id text not null,
        key text not null,
        value jsonb, -- null when it was taken back: the row goes on counting versions
        expires_at timestamptz,
        note text,
        version int not null,
        primary key (team_id, project_id, customer_id, key)
      )`);
  }
}
