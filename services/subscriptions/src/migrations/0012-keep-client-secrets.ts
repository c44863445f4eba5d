import { Migration } from '@mikro-orm/migrations';

/** What shows an embedded page, for a request that is repeated. */
export class KeepClientSecrets extends Migration {
  override up(): void {
    this.addSql('alter table checkout_sessions add column client_secret text');
  }
}
