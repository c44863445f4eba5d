import { Migration } from '@mikro-orm/migrations';

/** How subscriptions are taxed. That of a recorded one becomes known with its next event, or by a sync. */
export class AddTax extends Migration {
  override up(): void {
    this.addSql(`
      alter table subscriptions
        add column tax_automatic boolean not null default false,
        add column tax_stopped_reason text`);
    this.addSql(`alter table subscriptions alter column tax_automatic drop default`);
    this.addSql(
      `create index subscriptions_tax_stopped on subscriptions (tax_stopped_reason, team_id, project_id)
        where tax_stopped_reason is not null`,
    );
    this.addSql(`
      create table tax_locations (
        customer_id text primary key,
        team_id text not null,
        project_id text not null,
        location text not null,
        sequence int not null
      )`);
  }
}
