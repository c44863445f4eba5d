import Fastify from 'fastify';
import { Pool } from 'pg';
import { toShownItem, type ShownItem } from '../load/shown-item.ts';

const [databaseUrl = '', teamId = '', projectId = ''] = process.argv.slice(2);

const GRACE_MS = 7 * 86_400_000;

/** Reads what decides the state of one customer, as a team writes it that has these tables. */
const STATEMENT = `
  select json_build_object('id', customer.id, 'externalId', customer.external_id, 'email', customer.email) as customer,
    (select json_agg(json_build_object(
              'id', id, 'customerId', customer_id, 'processorSubscriptionId', processor_subscription_id, 'status', status,
              'priceId', price_id, 'quantity', quantity, 'items', items, 'cancelAtPeriodEnd', cancel_at_period_end,
              'cancelAt', cancel_at, 'canceledAt', canceled_at, 'startedAt', started_at, 'trialEnd', trial_end,
              'endedAt', ended_at, 'pauseCollection', null, 'currentPeriodStart', current_period_start,
              'currentPeriodEnd', current_period_end, 'metadata', metadata, 'projectId', project_id,
              'createdAt', created_at, 'updatedAt', updated_at) order by created_at desc, id)
       from subscriptions
      where customer_id = customer.id and team_id = customer.team_id and project_id = customer.project_id
        and status not in ('canceled', 'incomplete_expired')) as subscriptions,
    (select json_agg(json_build_object(
              'subscriptionId', subscription_id, 'finalizedAt', finalized_at, 'attempts', attempts,
              'nextAttemptAt', next_attempt_at, 'amount', amount_remaining, 'currency', currency,
              'url', hosted_invoice_url) order by finalized_at, id)
       from invoices
      where customer_id = customer.id and team_id = customer.team_id and project_id = customer.project_id
        and status = 'open') as invoices,
    (select json_agg(given) from (
       select feature.key, feature.type, feature.values, feature.merge, source.*
         from (
           select distinct on (subscription.id, price.id, given.key)
                  'subscription' as kind, subscription.id, price.product_id as "productId", price.id as "priceId",
                  given.key, given.value, given.per, (item ->> 'quantity')::int as quantity, null::timestamptz as until
             from subscriptions subscription, jsonb_array_elements(subscription.items) item
             join price_copies price on price.id = item ->> 'priceId'
             join product_feature_copies given
               on given.team_id = price.team_id and given.project_id = price.project_id
              and given.owner_id in (price.id, price.product_id) and given.value is not null
            where subscription.customer_id = customer.id and subscription.team_id = customer.team_id
              and subscription.project_id = customer.project_id
              and subscription.status in ('active', 'trialing', 'past_due')
            order by subscription.id, price.id, given.key, given.owner_id = price.id desc
           ) source
         join feature_copies feature on feature.team_id = customer.team_id
          and feature.project_id = customer.project_id and feature.key = source.key and feature.is_active
       union all
       select feature.key, feature.type, feature.values, feature.merge,
              'grant', customer.id, null, null, given.key, given.value, 'subscription', 1, given.expires_at
         from grant_copies given
         join feature_copies feature using (team_id, project_id, key)
        where given.team_id = customer.team_id and given.project_id = customer.project_id
          and given.customer_id = customer.id and given.value is not null
          and (given.expires_at is null or given.expires_at > now()) and feature.is_active) given) as sources
    from customer_copies customer
   where customer.id = $1 and customer.team_id = $2 and customer.project_id = $3 and customer.deleted_at is null`;

type Value = boolean | number | string;

interface Subscription {
  readonly id: string;
  readonly status: string;
  readonly items: readonly ShownItem[];
  readonly startedAt: string;
  readonly currentPeriodStart: string;
  readonly currentPeriodEnd: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}
interface Invoice {
  readonly subscriptionId: string;
  readonly finalizedAt: string;
  readonly attempts: number;
  readonly nextAttemptAt: string;
  readonly amount: number;
  readonly currency: string;
  readonly url: string;
}
interface Source {
  readonly key: string;
  readonly type: string;
  readonly values: readonly string[] | null;
  readonly merge: string | null;
  readonly kind: string;
  readonly id: string;
  readonly productId: string | null;
  readonly priceId: string | null;
  readonly value: Value;
  readonly per: string;
  readonly quantity: number;
  readonly until: string | null;
}
interface Row {
  readonly customer: object;
  readonly subscriptions: readonly Subscription[] | null;
  readonly invoices: readonly Invoice[] | null;
  readonly sources: readonly Source[] | null;
}

const iso = (time: string | null): string | null => (time === null ? null : new Date(time).toISOString());

/** Returns the state that our service returns of the same rows; none of them is paused, or set to cancel. */
function stateOf({ customer, subscriptions, invoices, sources }: Row): object {
  const [earliest] = invoices ?? [];
  const since = earliest && new Date(earliest.finalizedAt).getTime();
  const graceEndsAt = since === undefined ? null : new Date(since + GRACE_MS).toISOString();
  const isInGrace = graceEndsAt !== null && graceEndsAt > new Date().toISOString();
  const all = subscriptions ?? [];
  const byId = new Map(all.map(it => [it.id, it]));
  const granting = (sources ?? []).flatMap(it => {
    const status = it.kind === 'grant' ? 'grant' : byId.get(it.id)?.status;
    if (status === 'past_due' && !isInGrace) return [];
    const reason = { active: 'active', trialing: 'trial', past_due: 'grace' }[status ?? ''] ?? 'grant';
    const until = reason === 'grace' ? graceEndsAt : iso(it.until);
    const value = it.per === 'quantity' ? Number(it.value) * it.quantity : it.value;
    return [{ ...it, value, until, reason }];
  });
  const entitlements: Record<string, object> = {};
  for (const [key, given] of Map.groupBy(granting, it => it.key)) {
    const [first] = given;
    if (!first) continue;
    const { type, values, merge } = first;
    const rank = (value: Value) => (type === 'value' ? (values ?? []).indexOf(String(value)) : Number(value));
    const valueOf = (of: typeof given): Value | undefined =>
      merge === 'sum' && of.length > 0
        ? of.reduce((sum, { value }) => sum + Number(value), 0)
        : of.map(it => it.value).toSorted((a, b) => rank(b) - rank(a))[0];
    const value = valueOf(given);
    const ends = given.flatMap(({ until }) => until ?? []).toSorted();
    const until = ends.find(end => {
      const left = valueOf(given.filter(it => it.until === null || it.until > end));
      return left === undefined || rank(left) < rank(value ?? false);
    });
    entitlements[key] = {
      type,
      value,
      until: until ?? null,
      sources: given
        .toSorted((a, b) => (a.kind < b.kind ? -1 : 1))
        .map(({ kind, id, productId, priceId, value: each, quantity, until: end, reason }) => {
          return { kind, id, productId, priceId, value: each, quantity, until: end, reason };
        }),
    };
  }
  const isPastDue = all.some(({ status }) => status === 'past_due');
  return {
    customer,
    subscriptions: all.map(it => ({
      ...it,
      startedAt: iso(it.startedAt),
      currentPeriodStart: iso(it.currentPeriodStart),
      currentPeriodEnd: iso(it.currentPeriodEnd),
      createdAt: iso(it.createdAt),
      updatedAt: iso(it.updatedAt),
      items: it.items.map(toShownItem),
      grants: it.status !== 'past_due' || isInGrace,
      grantsUntil: it.status === 'past_due' ? graceEndsAt : null,
    })),
    entitlements,
    payment: {
      status: isPastDue ? 'past_due' : 'ok',
      pastDueSince: isPastDue ? iso(earliest?.finalizedAt ?? null) : null,
      graceEndsAt: isPastDue ? graceEndsAt : null,
      nextRetryAt: iso(earliest?.nextAttemptAt ?? null),
      attempts: earliest?.attempts ?? 0,
      amountDue: (invoices ?? []).reduce((sum, { amount }) => sum + amount, 0),
      currency: earliest?.currency ?? null,
      hostedInvoiceUrl: earliest?.url ?? null,
    },
    balance: null,
    pendingCheckouts: [],
    asOf: new Date().toISOString(),
  };
}

/** Serves the states of the customers of one project from the same tables with plain SQL, without authentication. */
async function serve(): Promise<void> {
  const pool = new Pool({ connectionString: databaseUrl, max: 10 });
  const app = Fastify();
  // A prepared statement is planned once for each connection, the other one for each request.
  for (const [path, statement] of [
    ['/customers/:id/state', { text: STATEMENT }],
    ['/prepared/customers/:id/state', { name: 'state', text: STATEMENT }],
  ] as const)
    app.get<{ Params: { id: string } }>(path, async ({ params: { id } }, reply) => {
      const { rows } = await pool.query<Row>({ ...statement, values: [id, teamId, projectId] });
      return rows[0] ? { state: stateOf(rows[0]) } : reply.code(404).send();
    });
  process.send?.({ url: await app.listen({ host: '127.0.0.1', port: 0 }) });
}

await serve();
