import { Migration } from '@mikro-orm/migrations';

export class KnowAccountModes extends Migration {
  override up(): void {
    this.addSql(`
      alter table teams
        add column account_livemode boolean,
        add column account_version int not null default 0`);
  }
}
