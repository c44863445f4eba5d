import { Migration } from '@mikro-orm/migrations';

/** The columns of every record that the processor has too. */
const mirrored = (table: string) => `
        id text primary key,
        team_id text not null,
        project_id text not null,
        metadata jsonb not null,
        processor_id text,
        processor_updated_at timestamptz,
        awaits_webhook boolean not null,
        version int not null,
        sequence int not null, -- of the events for tenants
        created_at timestamptz not null,
        deleted_at timestamptz,
        constraint ${table}_processor_id_unique unique (team_id, processor_id, project_id)`;

export class CreateCatalog extends Migration {
  override up(): void {
    this.addSql(`
      create table products (
        name text not null,
        description text,
        unit_label text,
        is_active boolean not null,
        ${mirrored('products')}
      )`);
    this.addSql(`create index products_newest on products (team_id, project_id, created_at, id)`);

    this.addSql(`
      create table prices (
        product_id text not null,
        unit_amount bigint,
        unit_amount_decimal text,
        billing_scheme text not null check (billing_scheme in ('per_unit', 'tiered')),
        metered boolean not null,
        currency text not null,
        type text not null check (type in ('recurring', 'one_time')),
        interval text check (interval in ('day', 'week', 'month', 'year')),
        interval_count bigint,
        is_active boolean not null,
        ${mirrored('prices')}
      )`);
    this.addSql(`create index prices_newest on prices (team_id, project_id, created_at, id)`);
    this.addSql(`create index prices_by_product on prices (product_id)`);

    this.addSql(`
      create table features (
        id text primary key,
        team_id text not null,
        project_id text not null,
        key text not null,
        name text not null,
        type text not null,
        "values" jsonb,
        merge text,
        is_active boolean not null,
        version int not null,
        created_at timestamptz not null,
        constraint features_key_unique unique (team_id, project_id, key)
      )`);
    this.addSql(`create index features_newest on features (team_id, project_id, created_at, id)`);
    this.addSql(`
      create table product_features (
        team_id text not null,
        project_id text not null,
        owner_id text not null, -- a product or a price
        key text not null,
        product_id text not null, -- the owner, or the product of the price
        value jsonb, -- null when it gives none any more: the row goes on counting versions
        per text not null,
        version int not null,
        created_at timestamptz not null,
        primary key (team_id, project_id, owner_id, key)
      )`);
    this.addSql(`
      create index product_features_newest on product_features (team_id, project_id, created_at, owner_id, key)`);
    this.addSql(`create index product_features_by_product on product_features (team_id, project_id, product_id)`);

    this.addSql(`
      create table coupons (
        name text,
        percent_off double precision,
        amount_off bigint,
        currency text,
        duration text not null check (duration in ('once', 'repeating', 'forever')),
        duration_in_months bigint,
        product_ids jsonb, -- null for all products
        max_redemptions bigint,
        times_redeemed bigint not null,
        redeem_by timestamptz,
        ${mirrored('coupons')}
      )`);
    this.addSql(`create index coupons_newest on coupons (team_id, project_id, created_at, id)`);

    this.addSql(`
      create table promotion_codes (
        coupon_id text not null,
        code text not null,
        code_key text not null, -- the code in lower case
        customer_id text,
        is_active boolean not null,
        max_redemptions bigint,
        times_redeemed bigint not null,
        expires_at timestamptz,
        first_time_only boolean not null,
        minimum_amount bigint,
        currency text,
        ${mirrored('promotion_codes')}
      )`);
    this.addSql(`create index promotion_codes_newest on promotion_codes (team_id, project_id, created_at, id)`);
    this.addSql(`create index promotion_codes_by_code on promotion_codes (team_id, project_id, code_key)`);
    this.addSql(`create index promotion_codes_by_coupon on promotion_codes (coupon_id)`);
  }
}
