import { Migration } from '@mikro-orm/migrations';

export class CreateGateway extends Migration {
  override up(): void {
    this.#createTeams();
    this.#createApiKeys();
    this.#createAuditLog();
    // Unlogged: counting waits for no disk, and a crash of PostgreSQL begins all windows anew. The library that counts
    // inserts by position.
    this.addSql(`
      create unlogged table rate_limits (
        key text primary key,
        points int not null,
        expire bigint
      )`);
  }

  #createTeams(): void {
    this.addSql(`
      create table teams (
        id text primary key,
        name text not null,
        created_at timestamptz not null,
        account_livemode boolean,
        account_version int not null default 0
      )`);
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
      create table invitations (
        id text primary key,
        team_id text not null,
        email text not null,
        role text not null check (role in ('owner', 'member')),
        token_hash text not null constraint invitations_token_hash_unique unique,
        invited_by text not null,
        created_at timestamptz not null,
        expires_at timestamptz not null,
        closed_at timestamptz
      )`);
    this.addSql(`create index invitations_team_id_index on invitations (team_id, created_at)`);
    this.addSql(`create index invitations_email_index on invitations (email)`);
    this.addSql(`
      create table projects (
        id text primary key,
        team_id text not null,
        name text not null,
        base_currency text not null,
        entitlement_grace_days int not null,
        version int not null default 1,
        created_at timestamptz not null
      )`);
    this.addSql(`create index projects_team_id_created_at_index on projects (team_id, created_at)`);
  }

  #createApiKeys(): void {
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
        rotated_by text,
        created_at timestamptz not null
      )`);
    this.addSql(`create index api_keys_project_index on api_keys (team_id, project_id, created_at)`);
  }

  // The gateway may add entries and read them; PostgreSQL refuses everything else, unless the owner takes the rules away.
  #createAuditLog(): void {
    this.addSql(`
      create table audit_entries (
        id text primary key,
        team_id text not null,
        project_id text,
        at timestamptz not null,
        actor_type text not null,
        actor_id text,
        action text not null,
        target_type text,
        target_id text,
        request_id text not null,
        address text,
        outcome text not null check (outcome in ('succeeded', 'refused')),
        changes jsonb not null
      )`);
    this.addSql(`create index audit_entries_team_id_index on audit_entries (team_id, at, id)`);
    this.addSql(`create table audit_repeats (entry_id text primary key, count int not null)`);
    this.addSql(`
      create function refuse_audit_change() returns trigger language plpgsql as
      'begin raise exception ''The audit log can only be added to.'' using errcode = ''insufficient_privilege''; end'`);
    this.addSql(`
      create trigger audit_entries_append_only before update or delete or truncate on audit_entries
        for each statement execute function refuse_audit_change()`);
    this.addSql(`revoke update, delete, truncate on audit_entries from current_user`);
  }
}
