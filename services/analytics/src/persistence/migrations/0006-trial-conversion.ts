import { Migration } from '@mikro-orm/migrations';

/**
 * When trials ended and whether they converted. What versions from before say about trials is unknown; the service counts
 * the projects again by itself, from the newest states.
 */
export class TrialConversion extends Migration {
  override up(): void {
    this.addSql(`alter table revenue_periods add column trial text`);
    this.addSql(
      `alter table tracked_records add column trial_ended_at timestamptz, add column trial_converted boolean`,
    );
    this.addSql(`
      create index tracked_records_trial_ended on tracked_records (team_id, project_id, generation, trial_ended_at, id)
       where trial_ended_at is not null`);
    this.addSql(`alter table projects alter column format set default 5`);
  }
}
