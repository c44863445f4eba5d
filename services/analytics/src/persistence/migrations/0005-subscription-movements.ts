import { Migration } from '@mikro-orm/migrations';

/**
 * The part of each subscription in each movement of revenue, so that a movement can be listed. The service counts the
 * projects from before again by itself, which fills the table.
 */
export class SubscriptionMovements extends Migration {
  override up(): void {
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
    this.addSql(`alter table projects alter column format set default 4`);
  }
}
