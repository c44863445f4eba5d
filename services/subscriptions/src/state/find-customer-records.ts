import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, PriceId, ProductId, ProjectScope } from '@billing/contracts/ids';
import type { ProductFeature } from '@billing/contracts/resources/feature';
import { MAX_SHOWN_SUBSCRIPTIONS } from '@billing/contracts/resources/customer-state';
import { ENDED_STATUSES } from '@billing/contracts/resources/subscription';
import { DEFAULT_GRACE_DAYS } from '@billing/contracts/resources/team';
import { executeBound } from '@billing/database/bound-statement';
import { keyColumns } from '@billing/database/project-objects';
import { CheckoutSession } from '#checkout/checkout-session.entity';
import { CustomerCopy } from '#copies/customer-copy.entity';
import { FeatureCopy, GrantCopy, ProjectCopy } from '#copies/feature-copies.entity';
import { Invoice } from '#money/invoice.entity';
import { fromJson, type JsonRow } from '#rows/json-rows';
import { Subscription } from '#record/subscription.entity';
import type { CustomerRecords, GrantingSubscription, OpenInvoice, PriceFeatures } from './customer-state.rules.ts';

/** A customer by our id, or by the tenant's own one. */
export type CustomerRef = { readonly id: CustomerId } | { readonly externalId: string };

/** A customer, deleted ones too, with all that decides what the customer may use. */
export interface FoundCustomer {
  readonly customer: CustomerCopy;
  /** The newest 200 of those that have not ended, the newest first; none where only what decides was read. */
  readonly subscriptions: readonly Subscription[];
  /** Open ones that this service has created, the newest first. */
  readonly checkouts: readonly CheckoutSession[];
  readonly records: CustomerRecords;
}

/**
 * Reads all that decides the state of some customers, at one moment. The customers are those of `customer_copies` for which
 * `condition` is true. Every join begins with a key, so that neither the rows of the project nor those of others are read.
 */
const readRecords = (condition: string): string => `
  with customer as (
    select * from customer_copies where ${condition}
  ), scope as (
    select team_id, project_id, id as customer_id from customer
  ), subscription as (
    select subscriptions.* from scope join subscriptions using (team_id, project_id, customer_id)
     where status not in ('${ENDED_STATUSES.join(`', '`)}')
  ), deciding as ( -- All of them, and no more of each than decides: a customer may have very many.
    select id, customer_id as "customerId", status, cancel_at_period_end as "cancelAtPeriodEnd", cancel_at as "cancelAt",
           current_period_start as "currentPeriodStart", current_period_end as "currentPeriodEnd",
           pause_behavior as "pauseBehavior",
           pending_change ->> 'hostedInvoiceUrl' as "hostedInvoiceUrl",
           (select json_agg(json_build_array(item ->> 'priceId', (item ->> 'quantity')::float8) order by place)
              from jsonb_array_elements(items) with ordinality as one (item, place)) as items
      from subscription
  ), shown as (
    select subscription.* from subscription
      join (select id, row_number() over (partition by customer_id order by created_at desc, id) as place
              from subscription) ranked using (id)
     where place <= $5
  ), invoice as (
    select id, customer_id, subscription_id, finalized_at, created_at, due_date, attempted, attempts, next_attempt_at,
           amount_remaining, currency, hosted_invoice_url
      from scope join invoices using (team_id, project_id, customer_id)
     where status = 'open'
  ), given as (
    select grant_copies.* from scope join grant_copies using (team_id, project_id, customer_id)
     where value is not null
  ), price as (
    select price_copies.* from price_copies
      join (select distinct team_id, project_id, item ->> 'priceId' as id
              from subscription, jsonb_array_elements(items) item
            union select team_id, project_id, unnest($4::text[]) from scope) billed using (team_id, project_id, id)
  ), price_feature as ( -- A price's value replaces its product's. Archived and deleted ones go on giving.
    select distinct on (price.id, key) team_id, project_id, price.id as price_id, product_id, key, value, per
      from price join product_feature_copies using (team_id, project_id)
     where owner_id in (price.id, product_id) and value is not null
     order by price.id, key, owner_id = price.id desc
  ), feature as (
    select feature_copies.* from feature_copies
      join (select team_id, project_id, key from price_feature union select team_id, project_id, key from given) wanted
           using (team_id, project_id, key)
     where is_active
  ), checkout as (
    select checkout_sessions.* from scope join checkout_sessions using (team_id, project_id, customer_id)
     where state = 'open' and price_id is not null
  ), project as (
    select project_copies.* from project_copies
      join (select distinct team_id, project_id as id from scope) wanted using (team_id, id)
  )
  select (select json_agg(customer) from customer) as customers,
         (select json_agg(project) from project) as projects,
         (select json_agg(shown order by created_at desc, id) from shown) as subscriptions,
         (select json_agg(deciding) from deciding) as deciding,
         (select json_agg(invoice) from invoice) as invoices,
         (select json_agg(given) from given) as grants,
         (select json_agg(checkout order by created_at desc, id) from checkout) as checkouts,
         (select json_agg(price_feature) from price_feature) as "priceFeatures",
         (select json_agg(feature order by key) from feature) as features`;

const BY_ID = readRecords('(team_id, project_id, id) = ($1, $2, $3)');
const BY_EXTERNAL_ID = readRecords('(team_id, project_id, external_id) = ($1, $2, $3) and deleted_at is null');
const BY_IDS = readRecords('(team_id, project_id, id) in (select * from unnest($1::text[], $2::text[], $3::text[]))');

/** Finds a customer that is not deleted, with all that decides what the customer may use, and up to `shown` subscriptions. */
export async function findCustomerRecord(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  ref: CustomerRef,
  shown = MAX_SHOWN_SUBSCRIPTIONS,
): Promise<FoundCustomer | undefined> {
  const [statement, id] = 'id' in ref ? [BY_ID, ref.id] : [BY_EXTERNAL_ID, ref.externalId];
  const [found] = await find(em, statement, [teamId, projectId, id, [], shown]);
  return found?.customer.deletedAt ? undefined : found;
}

/**
 * Finds customers, deleted ones too, with all that decides what they may use; in any order. Among it is what `priceIds` would
 * give, which they may not have.
 */
export const findCustomerRecords = async (
  em: EntityManager,
  customers: readonly { readonly scope: ProjectScope; readonly id: CustomerId }[],
  priceIds: readonly PriceId[] = [],
): Promise<readonly FoundCustomer[]> =>
  customers.length > 0 ? find(em, BY_IDS, [...keyColumns(customers), priceIds, MAX_SHOWN_SUBSCRIPTIONS]) : [];

/** What the statement returns; null stands for no rows. */
type Found = Readonly<
  Record<
    | 'customers'
    | 'projects'
    | 'subscriptions'
    | 'deciding'
    | 'invoices'
    | 'grants'
    | 'checkouts'
    | 'priceFeatures'
    | 'features',
    readonly JsonRow[] | null
  >
>;

async function find(em: EntityManager, statement: string, values: readonly unknown[]): Promise<FoundCustomer[]> {
  const [found] = await executeBound<Found>(em, statement, values);
  if (!found) throw new Error('The statement returns one row.');
  const [projects, features] = [fromJson(em, ProjectCopy, found.projects), fromJson(em, FeatureCopy, found.features)];
  const subscriptions = Map.groupBy(fromJson(em, Subscription, found.subscriptions), ofCustomer);
  const deciding = Map.groupBy((found.deciding ?? []) as unknown as readonly DecidingRow[], ofCustomer); // what the statement selects
  const invoices = Map.groupBy(fromJson(em, Invoice, found.invoices), ofCustomer);
  const grants = Map.groupBy(fromJson(em, GrantCopy, found.grants), ofCustomer);
  const checkouts = Map.groupBy(fromJson(em, CheckoutSession, found.checkouts), ofCustomer);
  const priceFeatures = featuresByPrice(found.priceFeatures as readonly PriceFeatureRow[] | null); // what the statement selects

  return fromJson(em, CustomerCopy, found.customers).map(customer => {
    const { id, teamId, projectId } = customer;
    const project = projects.find(it => it.id === projectId);
    const own = deciding.get(id) ?? [];
    return {
      customer,
      subscriptions: subscriptions.get(id) ?? [],
      checkouts: checkouts.get(id) ?? [],
      records: {
        customerId: id,
        subscriptions: own.map(toGranting),
        openInvoices: (invoices.get(id) ?? []).filter(isOwedWith(own)).map(toOpenInvoice),
        grants: (grants.get(id) ?? []).flatMap(({ value, ...it }) => (value === null ? [] : [{ ...it, value }])),
        features: features.filter(it => it.teamId === teamId && it.projectId === projectId),
        priceFeatures,
        graceDays: project?.graceDays ?? DEFAULT_GRACE_DAYS,
        grantsWhilePaused: project?.entitlementsWhilePaused ?? true,
      },
    };
  });
}

const ofCustomer = ({ customerId }: { readonly customerId: CustomerId }): CustomerId => customerId;

/** What decides of a subscription, as JSON has it. */
interface DecidingRow extends Pick<GrantingSubscription, 'id' | 'status' | 'cancelAtPeriodEnd' | 'pauseBehavior'> {
  readonly customerId: CustomerId;
  readonly cancelAt: string | null;
  readonly currentPeriodStart: string;
  readonly currentPeriodEnd: string;
  /** Of its pending change. */
  readonly hostedInvoiceUrl: string | null;
  readonly items: readonly (readonly [priceId: PriceId | null, quantity: number])[] | null;
}

const toGranting = ({
  id,
  status,
  cancelAtPeriodEnd,
  cancelAt,
  pauseBehavior,
  ...row
}: DecidingRow): GrantingSubscription => ({
  id,
  status,
  pauseBehavior,
  cancelAtPeriodEnd,
  cancelAt: cancelAt === null ? null : new Date(cancelAt),
  currentPeriodStart: new Date(row.currentPeriodStart),
  currentPeriodEnd: new Date(row.currentPeriodEnd),
  items: (row.items ?? []).map(([priceId, quantity]) => ({ priceId, quantity })),
});

/** The invoice of a pending change is not owed: until it is paid the customer has what there was. */
function isOwedWith(own: readonly DecidingRow[]): (invoice: Invoice) => boolean {
  const pending = new Set(own.map(({ hostedInvoiceUrl }) => hostedInvoiceUrl));
  return ({ hostedInvoiceUrl }) => hostedInvoiceUrl === null || !pending.has(hostedInvoiceUrl);
}

const toOpenInvoice = (row: Invoice): OpenInvoice => ({
  id: row.id,
  subscriptionId: row.subscriptionId,
  finalizedAt: row.finalizedAt ?? row.createdAt,
  dueDate: row.dueDate,
  attempted: row.attempted,
  attempts: row.attempts,
  nextAttemptAt: row.nextAttemptAt,
  amountRemaining: row.amountRemaining,
  currency: row.currency,
  hostedInvoiceUrl: row.hostedInvoiceUrl,
});

interface PriceFeatureRow extends Pick<ProductFeature, 'key' | 'value' | 'per'> {
  readonly price_id: PriceId;
  readonly product_id: ProductId;
}

/** Groups what prices give by price. */
function featuresByPrice(rows: readonly PriceFeatureRow[] | null): ReadonlyMap<string, PriceFeatures> {
  const byPrice = new Map<string, PriceFeatures & { readonly features: Map<string, PriceFeatureRow> }>();
  for (const row of rows ?? []) {
    const ofPrice = byPrice.get(row.price_id) ?? { productId: row.product_id, features: new Map() };
    ofPrice.features.set(row.key, row);
    byPrice.set(row.price_id, ofPrice);
  }
  return byPrice;
}
