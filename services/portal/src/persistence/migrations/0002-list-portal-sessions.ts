import { Migration } from '@mikro-orm/migrations';

export class ListPortalSessions extends Migration {
  override up(): void {
    this.addSql(`create index portal_sessions_newest on portal_sessions (team_id, project_id, created_at, id)`);
  }
}
