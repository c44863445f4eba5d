import { Migration } from '@mikro-orm/migrations';

/** Comparisons of a project with a document of its catalog. */
export class CreateCatalogRuns extends Migration {
  override up(): void {
    this.addSql(`alter table syncs add column kind text not null default 'account'`);
    this.addSql('alter table sync_objects add column action text, add column live_subscriptions int');
    this.addSql(`
      create table catalog_runs (
        sync_id text primary key,
        team_id text not null,
        project_id text not null,
        document json, -- null once it can be applied no more
        prune boolean not null,
        adopt boolean not null,
        report_id text, -- the report whose findings it applies
        audit jsonb not null -- who started it
      )`);
  }
}
