import { Migration } from '@mikro-orm/migrations';

/** Clocks of the processor in test mode, and the customers on them; an older copy puts none on one. */
export class CreateTestClocks extends Migration {
  override up(): void {
    this.addSql(`
      create table test_clocks (
        id text primary key,
        team_id text not null,
        project_id text not null,
        metadata jsonb not null,
        processor_id text,
        processor_created_at timestamptz,
        processor_updated_at timestamptz,
        awaits_webhook boolean not null,
        version int not null,
        sequence int not null,
        created_at timestamptz not null,
        deleted_at timestamptz,
        name text not null,
        time timestamptz not null,
        target timestamptz,
        until text,
        status text not null,
        error jsonb,
        deletes_at timestamptz not null,
        started_at timestamptz,
        finished_at timestamptz,
        due_at timestamptz,
        lease_id uuid,
        failures int not null
      )`);
    this.addSql(`
      create unique index test_clocks_processor_id_unique on test_clocks (team_id, project_id, processor_id)
       where deleted_at is null`);
    this.addSql(`create index test_clocks_newest on test_clocks (team_id, project_id, created_at, id)`);
    this.addSql(`create index test_clocks_due on test_clocks (team_id, due_at) where due_at is not null`);
    this.addSql(`alter table customers add column test_clock_id text, add column test_clock_now timestamptz`);
    this.addSql(`create index customers_on_test_clock on customers (test_clock_id) where test_clock_id is not null`);
  }
}
