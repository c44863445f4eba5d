import { Migration } from '@mikro-orm/migrations';

export class CreateProcessorAccounts extends Migration {
  override up(): void {
    this.addSql(`
      create table processor_accounts (
        team_id text primary key,
        account_id text not null,
        livemode boolean not null,
        publishable_key text not null,
        sealed_secret_key text not null,
        secret_key_last4 text not null,
        version int not null,
        connected_at timestamptz not null,
        updated_at timestamptz not null
      )`);
    this.addSql(`
      create table signing_secrets (
        id uuid primary key,
        team_id text not null,
        sealed_secret text not null,
        valid_until timestamptz
      )`);
    this.addSql(`create index signing_secrets_team on signing_secrets (team_id)`);
  }
}
