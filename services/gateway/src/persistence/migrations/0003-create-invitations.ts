import { Migration } from '@mikro-orm/migrations';

export class CreateInvitations extends Migration {
  override up(): void {
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
    this.addSql(`alter table api_keys add column rotated_by text`);
  }
}
