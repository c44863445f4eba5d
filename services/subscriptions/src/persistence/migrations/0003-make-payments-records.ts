import { Migration } from '@mikro-orm/migrations';

/** One row for each payment, where each payment intent and each charge had one. */
export class MakePaymentsRecords extends Migration {
  override up(): void {
    this.addSql(`alter table payments rename to payment_objects`);
    this.addSql(`drop index payments_customer`);
    this.addSql(`
      create table payments (
        id text primary key,
        team_id text not null,
        project_id text not null,
        processor_id text not null,
        processor_payment_intent_id text,
        processor_charge_id text,
        processor_customer_id text,
        customer_id text,
        processor_invoice_id text,
        status text,
        amount bigint,
        amount_refunded bigint not null,
        currency text,
        failure_code text,
        failure_message text,
        observations jsonb not null,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint payments_processor_id_unique unique (processor_id, team_id, project_id)
      ) with (fillfactor = 70)`);
    this.#moveObjects();
    this.addSql(`drop table payment_objects`);
    this.addSql(`create index payments_newest on payments (team_id, project_id, created_at, id)`);
    this.addSql(`create index payments_customer on payments (team_id, project_id, customer_id)`);
  }

  /** A payment takes its amount and its failure from the payment intent, or else from its decisive charge. */
  #moveObjects(): void {
    this.addSql(`
      insert into payments
      select 'pay_' || replace(gen_random_uuid()::text, '-', ''), team_id, project_id, payment_id,
             max(payment_id) filter (where kind = 'payment_intent' or processor_payment_intent_id is not null),
             (array_agg(processor_id order by is_success desc, event_at desc, processor_id desc)
                filter (where kind = 'charge'))[1],
             max(processor_customer_id), max(customer_id), null,
             case when bool_or(is_success) then 'succeeded' else 'failed' end,
             (array_agg(amount order by kind desc, is_success desc, event_at desc, processor_id desc))[1], 0,
             (array_agg(currency order by kind desc, is_success desc, event_at desc, processor_id desc))[1],
             case when bool_or(is_success) then null
                  else (array_agg(failure_code order by kind desc, event_at desc, processor_id desc))[1] end,
             null,
             jsonb_build_object(
               'intent', (array_agg(attempt) filter (where kind = 'payment_intent'))[1],
               'charges', coalesce(jsonb_agg(attempt order by processor_id collate "C") filter (where kind = 'charge'), '[]'),
               'refunds', '[]'::jsonb, 'disputes', '[]'::jsonb, 'customerId', max(processor_customer_id), 'invoiceId', null,
               'createdAt', (extract(epoch from min(created_at)) * 1000)::bigint),
             min(created_at), max(updated_at)
        from (select *, coalesce(processor_payment_intent_id, processor_id) as payment_id,
                     status = 'succeeded' as is_success,
                     jsonb_build_object(
                       'id', processor_id, 'at', (extract(epoch from event_at) * 1000)::bigint,
                       'hasSucceeded', status = 'succeeded', 'amount', amount, 'amountRefunded', 0,
                       'currency', currency, 'failureCode', case when status = 'failed' then failure_code end,
                       'failureMessage', null) as attempt
                from payment_objects) object
        left join (select id, processor_customer_id from customer_copies) customer on customer.id = object.customer_id
       group by team_id, project_id, payment_id`);
  }
}
