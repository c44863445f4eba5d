import { Migration } from '@mikro-orm/migrations';

export class CreateSubscriptions extends Migration {
  override up(): void {
    this.addSql(`
      create table subscriptions (
        id text primary key,
        team_id text not null,
        project_id text not null,
        customer_id text not null,
        processor_subscription_id text not null,
        processor_customer_id text not null,
        price_id text,
        status text not null,
        quantity int not null,
        cancel_at_period_end boolean not null,
        items jsonb not null,
        current_period_start timestamptz not null,
        current_period_end timestamptz not null,
        trial_end timestamptz,
        started_at timestamptz not null,
        ended_at timestamptz,
        metadata jsonb not null,
        version int not null,
        as_of timestamptz,
        as_of_rank smallint,
        as_of_event text,
        read_at timestamptz,
        orders int not null,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint subscriptions_processor_id_unique unique (team_id, project_id, processor_subscription_id)
      )`);
    this.addSql(`create index subscriptions_newest on subscriptions (team_id, project_id, created_at, id)`);
    this.addSql(`create index subscriptions_customer on subscriptions (team_id, project_id, customer_id)`);
    this.addSql(
      `create index subscriptions_processor_customer on subscriptions (team_id, project_id, processor_customer_id)`,
    );
  }
}
