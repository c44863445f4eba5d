import { Migration } from '@mikro-orm/migrations';

export class CreateGateway extends Migration {
  override up(): void {
    this.addSql(`create table teams (id text primary key, name text not null, created_at timestamptz not null)`);
    this.addSql(`
      create table members (
        team_id text not null,
        user_id text not null,
        role text not null check (role in ('owner', 'member')),
        created_at timestamptz not null,
        operation_key uuid,
        primary key (team_id, user_id)
      )`);
    this.addSql(`create index members_user_id_index on members (user_id)`);
    this.addSql(`
      create table projects (
        id text primary key,
        team_id text not null,
        name text not null,
        base_currency text not null,
        version int not null default 1,
        created_at timestamptz not null
      )`);
    this.addSql(`create index projects_team_id_created_at_index on projects (team_id, created_at)`);
    this.addSql(`
      create table api_keys (
        id text primary key,
        team_id text not null,
        project_id text not null,
        name text not null,
        scopes text[] not null,
        prefix text not null,
        last4 text not null,
        secret_hash text not null constraint api_keys_secret_hash_unique unique,
        previous_secret_hash text constraint api_keys_previous_secret_hash_unique unique,
        previous_expires_at timestamptz,
        expires_at timestamptz,
        last_used_at timestamptz,
        revoked_at timestamptz,
        created_by text not null,
        created_at timestamptz not null
      )`);
    this.addSql(`create index api_keys_project_index on api_keys (team_id, project_id, created_at)`);
  }
}
