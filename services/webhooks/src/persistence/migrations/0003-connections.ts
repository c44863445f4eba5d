import { Migration } from '@mikro-orm/migrations';

export class Connections extends Migration {
  override up(): void {
    this.addSql(`
      alter table processor_accounts
        alter column publishable_key drop not null,
        alter column sealed_secret_key drop not null,
        add column webhook_endpoint_id text,
        add column disconnected_at timestamptz`);
    this.addSql(`alter table signing_secrets add column is_additional boolean not null default false`);
    this.addSql(`alter table signing_secrets alter column is_additional drop default`);
    this.addSql(`
      create table endpoint_leases (
        team_id text primary key,
        lease_id uuid not null,
        leased_until timestamptz not null
      )`);
  }
}
