import type { EntityManager } from '@mikro-orm/postgresql';
import type { PriceState, ProductState } from '@billing/contracts/events/catalog';
import type { CustomerState } from '@billing/contracts/events/customers';
import type { TeamId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';

/*
 * Copies of what other services own. A copy is replaced only by a newer version. The scope is part of the condition, so
 * that an id never moves from one project to another.
 */

/** A resource of a team, as its owner publishes it. */
export interface OwnedBy<State> {
  readonly teamId: TeamId;
  readonly state: State;
}

/** Saves copies of customers, deleted ones too: their subscriptions go on. */
export async function saveCustomerCopies(
  em: EntityManager,
  customers: readonly OwnedBy<CustomerState>[],
): Promise<void> {
  await upsert(
    em,
    `insert into customer_copies as copy
            (id, team_id, project_id, processor_customer_id, version, created_at, deleted_at)
     select id, team_id, project_id, processor_customer_id, version, created_at, deleted_at
       from json_populate_recordset(null::customer_copies, $1::json) order by id
     on conflict (id) do update set
       processor_customer_id = excluded.processor_customer_id, version = excluded.version,
       deleted_at = excluded.deleted_at
     where copy.version < excluded.version
       and (copy.team_id, copy.project_id) = (excluded.team_id, excluded.project_id)`,
    newestOf(customers).map(({ teamId, state }) => ({
      id: state.id,
      team_id: teamId,
      project_id: state.projectId,
      processor_customer_id: state.processorCustomerId,
      version: state.version,
      created_at: state.createdAt,
      deleted_at: state.deletedAt,
    })),
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
            (id, team_id, project_id, product_id, type, is_active, processor_price_id, version, deleted_at)
     select id, team_id, project_id, product_id, type, is_active, processor_price_id, version, deleted_at
       from json_populate_recordset(null::price_copies, $1::json) order by id
     on conflict (id) do update set
       is_active = excluded.is_active, version = excluded.version, deleted_at = excluded.deleted_at
     where copy.version < excluded.version
       and (copy.team_id, copy.project_id) = (excluded.team_id, excluded.project_id)`,
    newestOf(prices).map(({ teamId, state }) => ({
      id: state.id,
      team_id: teamId,
      project_id: state.projectId,
      product_id: state.productId,
      type: state.type,
      is_active: state.isActive,
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
