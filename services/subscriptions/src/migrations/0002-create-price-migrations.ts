import { Migration } from '@mikro-orm/migrations';

export class CreatePriceMigrations extends Migration {
  override up(): void {
    this.addSql(`
      create table price_migrations (
        id text primary key,
        team_id text not null,
        project_id text not null,
        from_price_id text not null,
        to_price_id text not null,
        from_processor_price_id text not null,
        to_processor_price_id text not null,
        mode text not null,
        status text not null,
        keep_discounts boolean not null,
        filter jsonb not null,
        context jsonb not null, -- who has started it
        phase text not null,
        after text,
        counts jsonb,
        error jsonb,
        created_at timestamptz not null,
        started_at timestamptz,
        finished_at timestamptz,
        due_at timestamptz,
        lease_id uuid,
        failures int not null
      )`);
    this.addSql(`
      create unique index price_migrations_one_per_project on price_migrations (team_id, project_id)
       where status in ('queued', 'running')`);
    this.addSql(`create index price_migrations_newest on price_migrations (team_id, project_id, created_at, id)`);
    this.addSql(`create index price_migrations_due on price_migrations (team_id, due_at) where due_at is not null`);
    this.addSql(`
      create table migrated_subscriptions (
        migration_id text not null,
        subscription_id text not null,
        team_id text not null,
        project_id text not null,
        customer_id text not null,
        currency text not null,
        old_amount text,
        new_amount text,
        effective_at timestamptz,
        outcome text not null,
        reason text,
        error jsonb,
        change_id text,
        attempts int not null,
        created_at timestamptz not null, -- of the subscription
        primary key (migration_id, subscription_id)
      )`);
    this.addSql(
      `create index migrated_subscriptions_newest on migrated_subscriptions (migration_id, created_at, subscription_id)`,
    );
    this.addSql(`
      create index migrated_subscriptions_to_change on migrated_subscriptions (migration_id, attempts, subscription_id)
       where outcome = 'to_change'`);
    this.addSql(`create index migrated_subscriptions_team on migrated_subscriptions (team_id)`);
  }
}
