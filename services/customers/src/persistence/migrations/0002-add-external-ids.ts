import { Migration } from '@mikro-orm/migrations';

/**
 * Adds external ids, which are unique like e-mails, and notes which customers were linked to one that the processor had.
 * Customers whose metadata has the key `externalId` get it as their external id, unless another has the same.
 */
export class AddExternalIds extends Migration {
  override up(): void {
    this.addSql(`
      alter table customers
        add column external_id text,
        add column linked_to_existing boolean not null default false`);
    this.addSql(`alter table customers alter column linked_to_existing drop default`);
    this.addSql(`alter table customer_emails rename to customer_identifiers`);
    this.addSql(`alter index customer_emails_by_customer rename to customer_identifiers_by_customer`);
    this.addSql(`alter table customer_identifiers rename column email to value`);
    this.addSql(`alter table customer_identifiers add column kind text not null default 'email'`);
    this.addSql(`
      alter table customer_identifiers
        alter column kind drop default,
        drop constraint customer_emails_pkey,
        add primary key (team_id, project_id, kind, value)`);
    this.addSql(`
      with wanted as (
        select id, team_id, project_id, trim(metadata->>'externalId') as external_id
          from customers
         where deleted_at is null and length(trim(metadata->>'externalId')) between 1 and 255
      ), taken as (
        insert into customer_identifiers (team_id, project_id, kind, value, customer_id)
        select team_id, project_id, 'external-id', external_id, min(id)
          from wanted group by 1, 2, 4 having count(*) = 1
        returning customer_id, value
      )
      update customers set external_id = taken.value, metadata = metadata - 'externalId'
        from taken where customers.id = taken.customer_id`);
  }
}
