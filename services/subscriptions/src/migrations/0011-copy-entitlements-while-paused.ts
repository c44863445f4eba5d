import { Migration } from '@mikro-orm/migrations';

/** Whether subscriptions of a project go on giving while their payments are paused; all do before its next event. */
export class CopyEntitlementsWhilePaused extends Migration {
  override up(): void {
    this.addSql(`alter table project_copies add column entitlements_while_paused boolean not null default true`);
    this.addSql(`alter table project_copies alter column entitlements_while_paused drop default`);
  }
}
