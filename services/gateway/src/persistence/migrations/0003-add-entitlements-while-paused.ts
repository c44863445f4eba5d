import { Migration } from '@mikro-orm/migrations';

/** Whether subscriptions of a project go on giving while their payments are paused; those of earlier projects do. */
export class AddEntitlementsWhilePaused extends Migration {
  override up(): void {
    this.addSql(`alter table projects add column entitlements_while_paused boolean not null default true`);
    this.addSql(`alter table projects alter column entitlements_while_paused drop default`);
  }
}
