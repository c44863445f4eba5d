import { Migration } from '@mikro-orm/migrations';

export class CreateReferrals extends Migration {
  override up(): void {
    this.addSql(`
      create table programs (
        team_id text not null,
        project_id text not null,
        enabled boolean not null,
        referrer_credit_amount int not null,
        referee_credit_amount int not null,
        currency text not null,
        updated_at timestamptz not null,
        primary key (team_id, project_id)
      )`);
    this.addSql(`
      create table customer_copies (
        team_id text not null,
        project_id text not null,
        id text not null,
        processor_customer_id text,
        version int not null,
        deleted_at timestamptz,
        subscribed_at timestamptz,
        active_started_at timestamptz,
        primary key (team_id, project_id, id)
      )`);

    this.addSql(`
      create table referral_codes (
        team_id text not null,
        project_id text not null,
        code text not null,
        customer_id text not null,
        is_active boolean not null,
        version int not null,
        created_at timestamptz not null,
        deactivated_at timestamptz,
        operation_key uuid,
        primary key (team_id, project_id, code),
        constraint referral_codes_operation_key_unique unique (team_id, project_id, operation_key)
      )`);
    this.addSql(`
      create unique index referral_codes_one_active_per_customer
          on referral_codes (team_id, project_id, customer_id) where is_active`);
    this.addSql(`create index referral_codes_newest on referral_codes (team_id, project_id, created_at)`);
    this.addSql(`create index referral_codes_customer on referral_codes (team_id, project_id, customer_id)`);

    this.addSql(`
      create table referrals (
        id text primary key,
        team_id text not null,
        project_id text not null,
        code text not null,
        referrer_customer_id text not null,
        referee_customer_id text not null,
        status text not null,
        created_at timestamptz not null,
        converted_at timestamptz,
        earned_at timestamptz,
        operation_key uuid,
        constraint referrals_one_per_referee unique (team_id, project_id, referee_customer_id),
        constraint referrals_operation_key_unique unique (team_id, project_id, operation_key)
      )`);
    this.addSql(`create index referrals_newest on referrals (team_id, project_id, created_at)`);
    this.addSql(`create index referrals_of_code on referrals (team_id, project_id, code, created_at)`);
    this.addSql(`
      create index referrals_of_referrer on referrals (team_id, project_id, referrer_customer_id, created_at)`);

    this.addSql(`
      create table referral_credits (
        referral_id text not null,
        side text not null,
        team_id text not null,
        project_id text not null,
        customer_id text not null,
        amount int not null,
        currency text not null,
        status text not null,
        attempts int not null,
        error text,
        processor_transaction_id text,
        created_at timestamptz not null,
        credited_at timestamptz,
        sequence int not null, -- of its last event for tenants
        primary key (referral_id, side)
      )`);
    this.addSql(`create index referral_credits_newest on referral_credits (team_id, project_id, created_at)`);
    this.addSql(`
      create index referral_credits_customer on referral_credits (team_id, project_id, customer_id, created_at)`);
  }
}
