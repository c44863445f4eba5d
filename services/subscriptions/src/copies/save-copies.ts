import type { EntityClass, EntityManager } from '@mikro-orm/postgresql';
import type { PriceState, ProductState } from '@billing/contracts/events/catalog';
import type { CustomerState } from '@billing/contracts/events/customers';
import type { FeatureState, GrantState, ProductFeatureState } from '@billing/contracts/events/features';
import type { ProjectState } from '@billing/contracts/events/gateway';
import type { CouponId, ProjectId, PromotionCodeId, TeamId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { inTransaction } from '@billing/database/transaction';
import { insertIntakes } from '#intake/customer-intakes';
import { columnsOf, type Column } from '#rows/json-rows';
import { lockCustomers } from '#rows/locks';
import { markConcerned, markStates, markStatesOf } from '#state/state-marks';
import { DiscountCopy, PriceCopy, ProductCopy, type DiscountKind } from './catalog-copies.entity.ts';
import { CustomerCopy } from './customer-copy.entity.ts';
import { FeatureCopy, GrantCopy, ProductFeatureCopy, ProjectCopy } from './feature-copies.entity.ts';

/** A resource of a team, as its owner publishes it. */
export interface OwnedBy<State> {
  readonly teamId: TeamId;
  readonly state: State;
}

/**
 * Saves copies of customers, deleted ones too: their subscriptions go on. The billing of one that was linked to a customer
 * of the processor is taken in from then on (`customer_intakes`).
 */
export async function saveCustomerCopies(
  em: EntityManager,
  customers: readonly OwnedBy<CustomerState>[],
): Promise<void> {
  if (em.isInTransaction()) await saveInTransaction(em, customers);
  else await inTransaction(em, tx => saveInTransaction(tx, customers));
}

async function saveInTransaction(tx: EntityManager, customers: readonly OwnedBy<CustomerState>[]): Promise<void> {
  const copies = customers.map(toCopy).map(({ testClock: clock, ...copy }) => ({
    ...copy,
    testClockId: clock?.id ?? null,
    testClockNow: clock?.now ?? null,
  }));
  // Waits for transactions that have just found these customers in the copies as they were.
  await lockCustomers(
    tx,
    copies.map(({ teamId, projectId, processorCustomerId: id }) => ({ scope: { teamId, projectId }, id })),
  );
  // Of a deleted one nobody reads them.
  await save(
    tx,
    CustomerCopy,
    copies.map(copy => (copy.deletedAt ? { ...copy, email: null, externalId: null } : copy)),
  );
  await insertIntakes(
    tx,
    copies.filter(({ linkedToExisting }) => linkedToExisting),
  );
  await markStates(
    tx,
    copies.map(({ teamId, projectId, id }) => ({ scope: { teamId, projectId }, id })),
  );
}

/** Saves copies of products, deleted ones too: their subscriptions go on. */
export const saveProductCopies = (em: EntityManager, products: readonly OwnedBy<ProductState>[]): Promise<void> =>
  save(em, ProductCopy, products.map(toCopy));

/** Saves copies of prices, deleted ones too: their subscriptions go on. */
export const savePriceCopies = (em: EntityManager, prices: readonly OwnedBy<PriceState>[]): Promise<void> =>
  save(em, PriceCopy, prices.map(toCopy));

/** The part of a coupon or promotion code that its copy has. */
export interface DiscountState {
  readonly id: CouponId | PromotionCodeId;
  readonly projectId: ProjectId;
  readonly kind: DiscountKind;
  readonly processorId: string;
  readonly version: number;
  readonly deletedAt: Date | null;
}

/** Saves copies of coupons and promotion codes, deleted ones too: subscriptions keep them. */
export const saveDiscountCopies = (em: EntityManager, discounts: readonly OwnedBy<DiscountState>[]): Promise<void> =>
  save(em, DiscountCopy, discounts.map(toCopy));

/** Saves copies of projects. */
export async function saveProjectCopies(tx: EntityManager, projects: readonly OwnedBy<ProjectState>[]): Promise<void> {
  const copies = projects.map(toCopy);
  await save(
    tx,
    ProjectCopy,
    copies.map(({ entitlementGraceDays: graceDays, ...project }) => ({ ...project, graceDays })),
  );
  await markConcerned(
    tx,
    copies.map(({ teamId, id: projectId }) => ({ teamId, projectId })),
  );
}

/** Saves copies of features. */
export async function saveFeatureCopies(tx: EntityManager, features: readonly OwnedBy<FeatureState>[]): Promise<void> {
  const copies = features.map(toCopy);
  await save(tx, FeatureCopy, copies);
  await markConcerned(
    tx,
    copies.map(({ teamId, projectId, key: featureKey }) => ({ teamId, projectId, featureKey })),
  );
}

/** Saves copies of what products and prices give. */
export async function saveProductFeatureCopies(
  tx: EntityManager,
  productFeatures: readonly OwnedBy<ProductFeatureState>[],
): Promise<void> {
  const copies = productFeatures.map(toCopy);
  await save(tx, ProductFeatureCopy, copies);
  await markConcerned(
    tx,
    copies.map(({ teamId, projectId, ownerId }) => ({ teamId, projectId, ownerId })),
  );
}

/** Saves copies of what was given to customers. */
export async function saveGrantCopies(tx: EntityManager, grants: readonly OwnedBy<GrantState>[]): Promise<void> {
  const copies = grants.map(toCopy);
  await save(tx, GrantCopy, copies);
  await markStatesOf(tx, copies);
}

const toCopy = <State extends object>({ teamId, state }: OwnedBy<State>) => ({ teamId, ...state });

/**
 * Saves copies of what other services own. A copy is replaced only by a newer version, and only in its project, so that an
 * id never moves to another one. Properties that the copies do not have stay as they are.
 */
async function save<Copy extends { readonly version: number }>(
  em: EntityManager,
  entity: EntityClass<Copy>,
  copies: readonly (Partial<Copy> & Pick<Copy, 'version'>)[],
): Promise<void> {
  const [first] = copies;
  if (!first) return;
  const { tableName, primaryKeys } = em.getMetadata(entity);
  const columns = columnsOf(em, entity).filter(({ property }) => property in first);
  const isKey = ({ property }: Column): boolean => primaryKeys.some(key => key === property);
  const isScope = ({ property }: Column): boolean => property === 'teamId' || property === 'projectId';
  const [keys, others] = [columns.filter(isKey), columns.filter(column => !isKey(column))];
  const listed = (some: readonly Column[]): string => some.map(({ name }) => `"${name}"`).join(', ');
  const read = (some: readonly Column[]): string => some.map(({ property }) => `"${property}"`).join(', ');
  const changed = others.filter(column => !isScope(column)).map(({ name }) => `"${name}" = excluded."${name}"`);
  const unchanged = others.filter(isScope).map(({ name }) => ` and copy.${name} = excluded.${name}`);
  // Of each the newest version: a statement can't update a row twice.
  await executeBound(
    em,
    `insert into ${tableName} as copy (${listed(columns)})
     select distinct on (${read(keys)}) ${read(columns)}
       from json_to_recordset($1::json) as next (${columns.map(({ property, type }) => `"${property}" ${type}`).join(', ')})
      order by ${read(keys)}, version desc
     on conflict (${listed(keys)}) do update set ${changed.join(', ')}
      where copy.version < excluded.version${unchanged.join('')}`,
    [JSON.stringify(copies)],
  );
}
