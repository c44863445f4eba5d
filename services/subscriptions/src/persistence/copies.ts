import type { EntityManager } from '@mikro-orm/postgresql';
import type { PriceState, ProductState } from '@billing/contracts/events/catalog';
import type { CustomerState } from '@billing/contracts/events/customers';
import type { TeamId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { inTransaction } from '@billing/database/transaction';
import { insertIntakes } from './customer-intakes.ts';
import { lockCustomers } from './locks.ts';
import { markStates } from './state-marks.ts';

/*
 * Copies of what other services own. A copy is replaced only by a newer version. The scope is part of the condition, so
 * that an id never moves from one project to another.
 */

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
  // Waits for transactions that have just found these customers in the copies as they were.
  const ofProcessor = customers.map(({ teamId, state }) => {
    return { scope: { teamId, projectId: state.projectId }, id: state.processorCustomerId };
  });
  await lockCustomers(tx, ofProcessor);
  await upsert(
    tx,
    `insert into customer_copies as copy
            (id, team_id, project_id, processor_customer_id, email, external_id, balance, version, created_at, deleted_at)
     select id, team_id, project_id, processor_customer_id, email, external_id, balance, version, created_at, deleted_at
       from json_populate_recordset(null::customer_copies, $1::json) order by id
     on conflict (id) do update set
       processor_customer_id = excluded.processor_customer_id, email = excluded.email,
       external_id = excluded.external_id, balance = excluded.balance, version = excluded.version,
       deleted_at = excluded.deleted_at
     where copy.version < excluded.version
       and (copy.team_id, copy.project_id) = (excluded.team_id, excluded.project_id)`,
    newestOf(customers).map(({ teamId, state }) => ({
      id: state.id,
      team_id: teamId,
      project_id: state.projectId,
      processor_customer_id: state.processorCustomerId,
      // Of a deleted one nobody reads them.
      email: state.deletedAt ? null : state.email,
      external_id: state.deletedAt ? null : state.externalId,
      balance: state.balance,
      version: state.version,
      created_at: state.createdAt,
      deleted_at: state.deletedAt,
    })),
  );
  await insertIntakes(
    tx,
    customers.flatMap(({ teamId, state: { id, projectId, processorCustomerId, linkedToExisting } }) =>
      linkedToExisting ? [{ id, teamId, projectId, processorCustomerId }] : [],
    ),
  );
  await markStates(
    tx,
    customers.map(({ teamId, state: { id, projectId } }) => ({ scope: { teamId, projectId }, id })),
  );
}

/** Saves copies of products, deleted ones too: their subscriptions go on. */
export async function saveProductCopies(em: EntityManager, products: readonly OwnedBy<ProductState>[]): Promise<void> {
  await upsert(
    em,
    `insert into product_copies as copy (id, team_id, project_id, name, is_active, version, deleted_at)
     select id, team_id, project_id, name, is_active, version, deleted_at
       from json_populate_recordset(null::product_copies, $1::json) order by id
     on conflict (id) do update set
       name = excluded.name, is_active = excluded.is_active, version = excluded.version,
       deleted_at = excluded.deleted_at
     where copy.version < excluded.version
       and (copy.team_id, copy.project_id) = (excluded.team_id, excluded.project_id)`,
    newestOf(products).map(({ teamId, state }) => ({
      id: state.id,
      team_id: teamId,
      project_id: state.projectId,
      name: state.name,
      is_active: state.isActive,
      version: state.version,
      deleted_at: state.deletedAt,
    })),
  );
}

/** Saves copies of prices, deleted ones too: their subscriptions go on. */
export async function savePriceCopies(em: EntityManager, prices: readonly OwnedBy<PriceState>[]): Promise<void> {
  await upsert(
    em,
    `insert into price_copies as copy
            (id, team_id, project_id, product_id, type, is_active, metered, processor_price_id, version, deleted_at)
     select id, team_id, project_id, product_id, type, is_active, metered, processor_price_id, version, deleted_at
       from json_populate_recordset(null::price_copies, $1::json) order by id
     on conflict (id) do update set
       is_active = excluded.is_active, metered = excluded.metered, version = excluded.version,
       deleted_at = excluded.deleted_at
     where copy.version < excluded.version
       and (copy.team_id, copy.project_id) = (excluded.team_id, excluded.project_id)`,
    newestOf(prices).map(({ teamId, state }) => ({
      id: state.id,
      team_id: teamId,
      project_id: state.projectId,
      product_id: state.productId,
      type: state.type,
      is_active: state.isActive,
      metered: state.metered,
      processor_price_id: state.processorPriceId,
      version: state.version,
      deleted_at: state.deletedAt,
    })),
  );
}

/** The newest version of each: a statement can't update the same row twice. */
function newestOf<State extends { readonly id: string; readonly version: number }>(
  owned: readonly OwnedBy<State>[],
): OwnedBy<State>[] {
  const oldestFirst = owned.toSorted((a, b) => a.state.version - b.state.version);
  return [...new Map(oldestFirst.map(it => [it.state.id, it])).values()];
}

async function upsert(em: EntityManager, statement: string, rows: readonly object[]): Promise<void> {
  if (rows.length > 0) await executeBound(em, statement, [JSON.stringify(rows)]);
}
