import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, PriceId, ProductId, ProjectScope } from '@billing/contracts/ids';
import type { ProductFeature } from '@billing/contracts/resources/feature';
import { ENDED_STATUSES } from '@billing/contracts/resources/subscription';
import { DEFAULT_GRACE_DAYS } from '@billing/contracts/resources/team';
import { executeBound } from '@billing/database/bound-statement';
import { keyColumns } from '@billing/database/project-objects';
import type { CustomerRecords, OpenInvoice, PriceFeatures } from '#domain/customer-state.ts';
import { CheckoutSession } from './checkout-session.entity.ts';
import { CustomerCopy } from './customer-copy.entity.ts';
import { FeatureCopy, GrantCopy, ProjectCopy } from './feature-copies.entity.ts';
import { Invoice } from './invoice.entity.ts';
import { fromJson, type JsonRow } from './json-rows.ts';
import { Subscription } from './subscription.entity.ts';

/** A customer by our id, or by the tenant's own one. */
export type CustomerRef = { readonly id: CustomerId } | { readonly externalId: string };

/** A customer, deleted ones too, with all that decides what the customer may use. */
export interface FoundCustomer {
  readonly customer: CustomerCopy;
  /** Those that have not ended, the newest first. */
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
  ), invoice as (
    select invoices.* from scope join invoices using (team_id, project_id, customer_id)
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
         (select json_agg(subscription order by created_at desc, id) from subscription) as subscriptions,
         (select json_agg(invoice) from invoice) as invoices,
         (select json_agg(given) from given) as grants,
         (select json_agg(checkout order by created_at desc, id) from checkout) as checkouts,
         (select json_agg(price_feature) from price_feature) as "priceFeatures",
         (select json_agg(feature order by key) from feature) as features`;

const BY_ID = readRecords('(team_id, project_id, id) = ($1, $2, $3)');
const BY_EXTERNAL_ID = readRecords('(team_id, project_id, external_id) = ($1, $2, $3) and deleted_at is null');
const BY_IDS = readRecords('(team_id, project_id, id) in (select * from unnest($1::text[], $2::text[], $3::text[]))');

/** Finds a customer that is not deleted, with all that decides what the customer may use. */
export async function findCustomerRecord(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  ref: CustomerRef,
): Promise<FoundCustomer | undefined> {
  const [statement, id] = 'id' in ref ? [BY_ID, ref.id] : [BY_EXTERNAL_ID, ref.externalId];
  const [found] = await find(em, statement, [teamId, projectId, id, []]);
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
  customers.length > 0 ? find(em, BY_IDS, [...keyColumns(customers), priceIds]) : [];

/** What the statement returns; null stands for no rows. */
type Found = Readonly<
  Record<
    'customers' | 'projects' | 'subscriptions' | 'invoices' | 'grants' | 'checkouts' | 'priceFeatures' | 'features',
    readonly JsonRow[] | null
  >
>;

async function find(em: EntityManager, statement: string, values: readonly unknown[]): Promise<FoundCustomer[]> {
  const [found] = await executeBound<Found>(em, statement, values);
  if (!found) throw new Error('The statement returns one row.');
  const [projects, features] = [fromJson(em, ProjectCopy, found.projects), fromJson(em, FeatureCopy, found.features)];
  const subscriptions = Map.groupBy(fromJson(em, Subscription, found.subscriptions), ofCustomer);
  const invoices = Map.groupBy(fromJson(em, Invoice, found.invoices), ofCustomer);
  const grants = Map.groupBy(fromJson(em, GrantCopy, found.grants), ofCustomer);
  const checkouts = Map.groupBy(fromJson(em, CheckoutSession, found.checkouts), ofCustomer);
  const priceFeatures = featuresByPrice(found.priceFeatures as readonly PriceFeatureRow[] | null); // what the statement selects

  return fromJson(em, CustomerCopy, found.customers).map(customer => {
    const { id, teamId, projectId } = customer;
    const own = subscriptions.get(id) ?? [];
    return {
      customer,
      subscriptions: own,
      checkouts: checkouts.get(id) ?? [],
      records: {
        customerId: id,
        subscriptions: own,
        openInvoices: (invoices.get(id) ?? []).filter(isOwedWith(own)).map(toOpenInvoice),
        grants: (grants.get(id) ?? []).flatMap(({ value, ...it }) => (value === null ? [] : [{ ...it, value }])),
        features: features.filter(it => it.teamId === teamId && it.projectId === projectId),
        priceFeatures,
        graceDays: projects.find(it => it.id === projectId)?.graceDays ?? DEFAULT_GRACE_DAYS,
      },
    };
  });
}

const ofCustomer = ({ customerId }: { readonly customerId: CustomerId }): CustomerId => customerId;

/** The invoice of a pending change is not owed: until it is paid the customer has what there was. */
const isOwedWith =
  (own: readonly Subscription[]) =>
  ({ hostedInvoiceUrl }: Invoice): boolean =>
    hostedInvoiceUrl === null || own.every(({ pendingChange }) => pendingChange?.hostedInvoiceUrl !== hostedInvoiceUrl);

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
