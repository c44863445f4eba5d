import type { Client } from 'pg';

const PRODUCTS = 5;
const PRICES = 10;
const FEATURES = 10;

/** Returns an id as the records have them. */
export const idOf = (prefix: string, number: number): string => `${prefix}_${String(number).padStart(24, '0')}`;

/** SQL of the same id. */
const id = (prefix: string, number: string): string => `'${prefix}_' || lpad((${number})::text, 24, '0')`;

/**
 * Writes customers as subscriptions records them, each with a subscription to one of ten prices, whose product gives ten
 * features, and its price another value of one of them. Every tenth one is in a trial, every twentieth past due since
 * yesterday, and every fifth has a grant.
 */
export async function insertRecords(
  database: Client,
  { teamId, projectId }: { readonly teamId: string; readonly projectId: string },
  customers: number,
): Promise<void> {
  const type = `case number % 3 when 0 then 'boolean' when 1 then 'limit' else 'value' end`;
  const price = `number % ${PRICES} + 1`;
  for (const statement of [
    `insert into feature_copies (team_id, project_id, key, type, "values", merge, is_active, version)
     select $1, $2, 'feature-' || number, ${type},
            case when number % 3 = 2 then '["basic", "priority", "dedicated"]'::jsonb end,
            case when number % 3 = 1 then case when number % 2 = 0 then 'sum' else 'max' end end, true, 1
       from generate_series(1, ${FEATURES}) number`,
    `insert into price_copies
            (id, team_id, project_id, product_id, type, is_active, metered, processor_price_id, version)
     select ${id('pri', 'number')}, $1, $2, ${id('pp', `number % ${PRODUCTS} + 1`)}, 'recurring', true, false,
            'price_' || number, 1
       from generate_series(1, ${PRICES}) number`,
    `insert into product_feature_copies (team_id, project_id, owner_id, key, value, per, version)
     select $1, $2, owner_id, 'feature-' || number,
            case number % 3 when 0 then 'true'::jsonb when 1 then '5'::jsonb else '"priority"'::jsonb end,
            case number % 3 when 1 then 'quantity' else 'subscription' end, 1
       from (select ${id('pp', 'product')} as owner_id, number
               from generate_series(1, ${PRODUCTS}) product, generate_series(1, ${FEATURES}) number
             union all
             select ${id('pri', 'number')}, number from generate_series(1, ${PRICES}) number) given`,
    `insert into customer_copies
            (id, team_id, project_id, processor_customer_id, email, external_id, version, created_at)
     select ${id('pc', 'number')}, $1, $2, 'cus_' || number, number || '@example.com', 'user-' || number, 1, now()
       from generate_series(1, ${customers}) number`,
    `insert into subscriptions
            (id, team_id, project_id, customer_id, processor_subscription_id, processor_customer_id, price_id, status,
             quantity, cancel_at_period_end, involuntary, items, discounts, current_period_start, current_period_end,
             started_at, metadata,
             version, revision, sequence, created_at, updated_at)
     select ${id('ps', 'number')}, $1, $2, ${id('pc', 'number')}, 'sub_' || number, 'cus_' || number, ${id('pri', price)},
            case when number % 20 = 0 then 'past_due' when number % 10 = 0 then 'trialing' else 'active' end,
            1 + number % 5, false, false,
            jsonb_build_array(jsonb_build_object(
              'priceId', ${id('pri', price)}, 'processorPriceId', 'price_' || (${price}), 'quantity', 1 + number % 5,
              'unitAmount', 2999, 'unitAmountDecimal', '2999', 'billingScheme', 'per_unit', 'currency', 'usd',
              'interval', 'month', 'intervalCount', 1, 'transformQuantity', null, 'metered', false)), '[]',
            now() - interval '5 days', now() + interval '25 days', now() - interval '35 days', '{}', 1, 1, 1,
            now() - interval '35 days', now() - interval '5 days'
       from generate_series(1, ${customers}) number`,
    `insert into invoices
            (id, team_id, project_id, processor_invoice_id, customer_id, subscription_id, status, amount_due, amount_paid,
             amount_remaining, attempted, attempts, next_attempt_at, finalized_at, currency, hosted_invoice_url, version,
             sequence, event_at, event_rank, event_id, created_at, updated_at)
     select ${id('pinv', 'number')}, $1, $2, 'in_' || number, ${id('pc', 'number')}, ${id('ps', 'number')},
            case when number % 20 = 0 then 'open' else 'paid' end, 2999,
            case when number % 20 = 0 then 0 else 2999 end, case when number % 20 = 0 then 2999 else 0 end, true, 1,
            case when number % 20 = 0 then now() + interval '2 days' end, now() - interval '1 day', 'usd',
            'https://pay.example/' || number, 1, 1, now(), 1, 'evt_' || number, now() - interval '1 day', now()
       from generate_series(1, ${customers}) number`,
    `insert into grant_copies (team_id, project_id, customer_id, key, value, expires_at, version)
     select $1, $2, ${id('pc', 'number')}, 'feature-1', '100', now() + interval '30 days', 1
       from generate_series(5, ${customers}, 5) number`,
  ])
    await database.query(statement, [teamId, projectId]);
  await database.query(
    'vacuum analyze customer_copies, subscriptions, invoices, price_copies, feature_copies, product_feature_copies, grant_copies',
  );
}
