import { Migration } from '@mikro-orm/migrations';

/** Indexes for the list of referrals, and for what a customer's page shows: their codes, referrals and credits. */
export class ListByCustomer extends Migration {
  override up(): void {
    this.addSql(`create index referral_codes_customer on referral_codes (team_id, project_id, customer_id)`);
    this.addSql(`create index referrals_newest on referrals (team_id, project_id, created_at)`);
    this.addSql(`
      create index referrals_of_referrer on referrals (team_id, project_id, referrer_customer_id, created_at)`);
    this.addSql(`
      create index referral_credits_customer on referral_credits (team_id, project_id, customer_id, created_at)`);
  }
}
