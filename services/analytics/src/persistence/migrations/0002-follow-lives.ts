import { Migration } from '@mikro-orm/migrations';

/**
 * Revenue periods carry whether a subscription counted as active, and rows of subscriptions what lists show. What was
 * counted before stays as it was until its project is counted again, which the service does by itself.
 */
export class FollowLives extends Migration {
  override up(): void {
    this.addSql(`alter table revenue_periods add column phase text`);
    // A subscription without any revenue is a free one, if it was ever activated.
    this.addSql(`
      update revenue_periods period
         set phase = case
               when period.ended_at is not null then case when activated then 'canceled' else 'expired' end
               when json_array_length(period.revenue) > 0 or (activated and not earned) then 'live'
               else 'dormant' end
        from (select team_id, project_id, subscription_id, bool_or(json_array_length(revenue) > 0) as earned,
                     exists (select from tracked_records record
                              where record.team_id = each.team_id and record.kind = 'subscription'
                                and record.id = each.subscription_id and record.project_id = each.project_id
                                and record.started_at is not null) as activated
                from revenue_periods each group by team_id, project_id, subscription_id) subscription
       where (period.team_id, period.project_id, period.subscription_id) =
             (subscription.team_id, subscription.project_id, subscription.subscription_id)`);
    this.addSql(`alter table revenue_periods alter column phase set not null`);

    this.addSql(`drop index tracked_records_started`);
    this.addSql(`drop index tracked_records_ended`);
    this.addSql(`
      alter table tracked_records
        drop column started_at,
        add column customer_id text,
        add column status text,
        add column currency text,
        add column amount text,
        add column live_metric text,
        add column created_at timestamptz`);
    this.addSql(`
      create index tracked_records_live on tracked_records (team_id, project_id, generation, live_metric, created_at, id)
       where live_metric is not null`);
    this.addSql(`
      create index tracked_records_ended on tracked_records (team_id, project_id, generation, ended_at, id)
       where ended_at is not null`);

    this.addSql(`alter table projects add column format int not null default 1`);
    this.addSql(`alter table projects alter column format set default 2`);
  }
}
