import { Migration } from '@mikro-orm/migrations';

export class CreateAnalytics extends Migration {
  override up(): void {
    // One row a project; every transaction that writes rows of a project locks this one first.
    this.addSql(`
      create table projects (
        team_id text not null,
        project_id text not null,
        base_currency text,
        version int not null,
        newest_event_at timestamptz,
        estimated_until timestamptz,
        generation int not null,
        building_generation int,
        primary key (team_id, project_id)
      )`);

    // The newest observed state of every customer, subscription, referral code and referral.
    this.addSql(`
      create table tracked_records (
        team_id text not null,
        project_id text not null,
        generation int not null,
        kind text not null,
        id text not null,
        version int not null,
        contributions json not null,
        subscription json,
        recent json,
        customer_id text,
        status text,
        currency text,
        amount text,
        live_metric text,
        created_at timestamptz,
        ended_at timestamptz,
        trial_ended_at timestamptz,
        trial_converted boolean,
        canceled_at timestamptz,
        cancel_reason text,
        primary key (team_id, project_id, generation, kind, id)
      )`);
    this.addSql(`
      create index tracked_records_live on tracked_records (team_id, project_id, generation, live_metric, created_at, id)
       where live_metric is not null`);
    this.addSql(`
      create index tracked_records_customer on tracked_records (team_id, project_id, generation, customer_id)
       where customer_id is not null`);
    this.addSql(`
      create index tracked_records_ended on tracked_records (team_id, project_id, generation, ended_at, id)
       where ended_at is not null`);
    this.addSql(`
      create index tracked_records_trial_ended on tracked_records (team_id, project_id, generation, trial_ended_at, id)
       where trial_ended_at is not null`);
    this.addSql(`
      create index tracked_records_canceled on tracked_records (team_id, project_id, generation, canceled_at, id)
       where canceled_at is not null`);

    // How many webhook events each project has: the numbers that came with the highest version.
    this.addSql(`
      create table webhook_event_counts (
        team_id text not null,
        project_id text not null,
        total bigint not null,
        processed bigint not null,
        failed bigint not null,
        version bigint not null,
        primary key (team_id, project_id)
      )`);

    // Sums of the contributions of a project's tracked records.
    this.addSql(`
      create table metrics (
        team_id text not null,
        project_id text not null,
        generation int not null,
        metric text not null,
        bucket text not null,
        amount numeric not null,
        primary key (team_id, project_id, generation, metric, bucket)
      )`);
    this.addSql(`create index metrics_all_time on metrics (team_id, project_id, generation) where bucket = ''`);
    this.addSql(`
      create index metrics_movements on metrics (team_id, project_id, generation, bucket)
       where metric ~~ 'movement:%'`);

    // What counts of each state that was shown of a subscription, once for each time; a digest of the state tells those of one
    // second apart.
    this.addSql(`
      create table subscription_points (
        team_id text not null,
        project_id text not null,
        generation int not null,
        subscription_id text not null,
        shown_at timestamptz not null,
        shown_by smallint not null,
        digest text not null,
        state text not null,
        primary key (team_id, project_id, generation, subscription_id, shown_at, shown_by, digest)
      )`);

    // The part of each subscription in each movement of revenue.
    this.addSql(`
      create table subscription_movements (
        team_id text not null,
        project_id text not null,
        generation int not null,
        metric text not null,
        day text not null,
        subscription_id text not null,
        amount numeric not null,
        primary key (team_id, project_id, generation, metric, day, subscription_id)
      )`);
  }
}
