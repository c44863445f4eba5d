import { Migration } from '@mikro-orm/migrations';

export class CreateCheckoutSessions extends Migration {
  override up(): void {
    this.addSql(`
      create table checkout_sessions (
        id uuid primary key,
        team_id text not null,
        project_id text not null,
        customer_id text not null,
        price_id text not null,
        request jsonb not null,
        state text not null,
        processor_session_id text,
        url text,
        attempts int not null,
        error text,
        claimed_until timestamptz not null,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint checkout_sessions_processor_id_unique unique (team_id, project_id, processor_session_id)
      )`);
    this.addSql(
      `create index checkout_sessions_reserved on checkout_sessions (claimed_until) where state = 'reserved'`,
    );
  }
}
