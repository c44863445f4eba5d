import { Migration } from '@mikro-orm/migrations';

export class CreateRoutes extends Migration {
  override up(): void {
    this.addSql(`
      create table routes (
        team_id text not null,
        resource_id text not null,
        kind text not null,
        processor_id text not null,
        project_id text not null,
        version int not null,
        created_at timestamptz not null,
        deleted boolean not null,
        primary key (team_id, resource_id)
      )`);
    this.addSql(`create index routes_processor_id on routes (team_id, kind, processor_id)`);
    this.addSql(`
      create table known_projects (
        team_id text not null,
        project_id text not null,
        primary key (team_id, project_id)
      )`);
  }
}
