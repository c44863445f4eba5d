import { Migration } from '@mikro-orm/migrations';

export class CreatePortal extends Migration {
  override up(): void {
    this.addSql(`
      create table portal_sessions (
        id text primary key,
        team_id text not null,
        project_id text not null,
        customer_id text not null,
        token_hash text not null constraint portal_sessions_token_hash_unique unique,
        return_url text,
        locale text,
        expires_at timestamptz not null,
        revoked_at timestamptz,
        created_at timestamptz not null
      )`);
    this.addSql(`create index portal_sessions_customer on portal_sessions (team_id, project_id, customer_id)`);
    this.addSql(`create index portal_sessions_newest on portal_sessions (team_id, project_id, created_at, id)`);
    this.addSql(`create index portal_sessions_expires_at on portal_sessions (expires_at)`);
    this.addSql(`
      create table portal_configs (
        team_id text not null,
        project_id text not null,
        config jsonb not null,
        updated_at timestamptz not null,
        primary key (team_id, project_id)
      )`);
  }
}
