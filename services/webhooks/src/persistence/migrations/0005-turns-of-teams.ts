import { Migration } from '@mikro-orm/migrations';

export class TurnsOfTeams extends Migration {
  override up(): void {
    // Due events are found team by team, so that those of one don't stand in front of another's.
    this.addSql(`
      create index webhook_events_due_of_team on webhook_events (team_id, due_at) where due_at is not null`);
    this.addSql(`drop index webhook_events_due`);
  }
}
