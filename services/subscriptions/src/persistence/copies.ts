import type { EntityManager } from '@mikro-orm/postgresql';
import type { PriceState, ProductState } from '@billing/contracts/events/catalog';
import type { CustomerState } from '@billing/contracts/events/customers';
import type { TeamId } from '@billing/contracts/ids';

/*
 * Copies of what other services own, kept only if newer than the copy that is there. The tenant stands in the
 * condition too, so that an id can never move from one project to another.
 */

/** Keeps a customer. */
export async function keepCustomer(em: EntityManager, teamId: TeamId, customer: CustomerState): Promise<void> {
  const { id, projectId, processorCustomerId, version, createdAt, deletedAt } = customer;
  await em.execute(
    `insert into known_customers as known
       (id, team_id, project_id, processor_customer_id, version, created_at, deleted_at)
     values (?, ?, ?, ?, ?, ?, ?)
     on conflict (id) do update set
       processor_customer_id = excluded.processor_customer_id, version = excluded.version,
       deleted_at = excluded.deleted_at
     where known.version < excluded.version
       and (known.team_id, known.project_id) = (excluded.team_id, excluded.project_id)`,
    [id, teamId, projectId, processorCustomerId, version, createdAt, deletedAt],
  );
}

/** Keeps a product. */
export async function keepProduct(em: EntityManager, teamId: TeamId, product: ProductState): Promise<void> {
  const { id, projectId, name, isActive, version, deletedAt } = product;
  await em.execute(
    `insert into known_products as known (id, team_id, project_id, name, is_active, version, deleted_at)
     values (?, ?, ?, ?, ?, ?, ?)
     on conflict (id) do update set
       name = excluded.name, is_active = excluded.is_active, version = excluded.version,
       deleted_at = excluded.deleted_at
     where known.version < excluded.version
       and (known.team_id, known.project_id) = (excluded.team_id, excluded.project_id)`,
    [id, teamId, projectId, name, isActive, version, deletedAt],
  );
}

/** Keeps a price. */
export async function keepPrice(em: EntityManager, teamId: TeamId, price: PriceState): Promise<void> {
  const { id, projectId, productId, type, isActive, processorPriceId, version, deletedAt } = price;
  await em.execute(
    `insert into known_prices as known
       (id, team_id, project_id, product_id, type, is_active, processor_price_id, version, deleted_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (id) do update set
       is_active = excluded.is_active, version = excluded.version, deleted_at = excluded.deleted_at
     where known.version < excluded.version
       and (known.team_id, known.project_id) = (excluded.team_id, excluded.project_id)`,
    [id, teamId, projectId, productId, type, isActive, processorPriceId, version, deletedAt],
  );
}
