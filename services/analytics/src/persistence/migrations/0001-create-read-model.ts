import { Migration } from '@mikro-orm/migrations';

export class CreateReadModel extends Migration {
  override up(): void {
    // A read model of an earlier shape; `npm run analytics:rebuild` fills this one.
    this.addSql(`drop table if exists figures, subjects, projects`);
    this.addSql(`
      create table projects (
        team_id text not null,
        project_id text not null,
        base_currency text,
        version int not null,
        newest_fact_at timestamptz,
        generation int not null,
        building int,
        primary key (team_id, project_id)
      )`);
    this.addSql(`
      create table figures (
        team_id text not null,
        project_id text not null,
        generation int not null,
        figure text not null,
        day text not null,
        amount numeric not null,
        primary key (team_id, project_id, generation, figure, day)
      )`);
    this.addSql(`create index figures_over_all on figures (team_id, project_id, generation) where day = ''`);
    this.addSql(`
      create index figures_moved on figures (team_id, project_id, generation, day) where figure ~~ 'moved:%'`);
    this.addSql(`
      create table subjects (
        team_id text not null,
        project_id text not null,
        generation int not null,
        kind text not null,
        id text not null,
        version int not null,
        shares jsonb not null,
        began_at timestamptz,
        ended_at timestamptz,
        primary key (team_id, project_id, generation, kind, id)
      )`);
    this.addSql(`
      create index subjects_began on subjects (team_id, project_id, generation, began_at, ended_at)
       where began_at is not null`);
    this.addSql(`
      create index subjects_ended on subjects (team_id, project_id, generation, ended_at, began_at)
       where ended_at is not null`);
    this.addSql(`create index subjects_webhook_events on subjects (team_id, id) where kind = 'webhook-event'`);
    this.addSql(`
      create table chapters (
        team_id text not null,
        project_id text not null,
        subscription_id text not null,
        chapters jsonb not null,
        primary key (team_id, project_id, subscription_id)
      )`);
  }
}
