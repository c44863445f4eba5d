import { Migration } from '@mikro-orm/migrations';

/** Creates the table of intakes, with one for each customer that has followed a deleted one at the processor. */
export class CreateCustomerIntakes extends Migration {
  override up(): void {
    this.addSql(`
      create table customer_intakes (
        customer_id text primary key,
        team_id text not null,
        project_id text not null,
        processor_customer_id text not null,
        stage text not null,
        after text,
        attempts int not null,
        due_at timestamptz,
        lease_id uuid,
        created_at timestamptz not null
      )`);
    this.addSql(`create index customer_intakes_due on customer_intakes (due_at) where due_at is not null`);
    this.addSql(`
      insert into customer_intakes
             (customer_id, team_id, project_id, processor_customer_id, stage, attempts, due_at, created_at)
      select live.id, live.team_id, live.project_id, live.processor_customer_id, 'records', 0, now(), now()
        from customer_copies live
       where live.deleted_at is null
         and exists (
           select from customer_copies former
            where (former.team_id, former.project_id, former.processor_customer_id)
                    = (live.team_id, live.project_id, live.processor_customer_id)
              and former.deleted_at is not null)`);
  }
}
