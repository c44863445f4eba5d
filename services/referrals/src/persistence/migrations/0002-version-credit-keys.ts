import { Migration } from '@mikro-orm/migrations';

export class VersionCreditKeys extends Migration {
  override up(): void {
    this.addSql(`
      alter table referral_credits
        add column key_version int not null default 1,
        add column processor_customer_id text,
        add column closed_at timestamptz`);
  }
}
