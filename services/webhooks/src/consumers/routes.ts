import type { EntityManager } from '@mikro-orm/postgresql';
import {
  PriceCreated,
  PriceDeleted,
  PriceUpdated,
  ProductCreated,
  ProductDeleted,
  ProductUpdated,
} from '@billing/contracts/events/catalog';
import { CouponSaved, PromotionCodeSaved } from '@billing/contracts/events/discounts';
import {
  CustomerCreated,
  CustomerDeleted,
  CustomerUpdated,
  type CustomerState,
} from '@billing/contracts/events/customers';
import { ProjectCreated, ProjectUpdated } from '@billing/contracts/events/gateway';
import type { TeamId } from '@billing/contracts/ids';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import type { ReferenceKind } from '#domain/route-hints.ts';
import { saveProjects, saveRoutes, type RouteRecord } from '#persistence/routes.ts';
import { lockShared, sendMissedEvents, type NewHolder } from '#operations/send-missed-events.ts';

/** Copies which projects a team has. */
export const projectCopies = (): Consumer =>
  consumer('webhooks-projects', 'project.*.v1').on([ProjectCreated, ProjectUpdated], (tx, deliveries) =>
    saveProjects(
      tx,
      deliveries.map(({ teamId, data }) => ({ teamId, projectId: data.id })),
    ),
  );

/**
 * Record which projects have a customer or a record of the catalog. `onSaved` runs for each batch: events that found no project
 * may be due.
 */
export function routeConsumers(onSaved: () => void): Consumer[] {
  const save = async (tx: EntityManager, routes: readonly RouteRecord[]): Promise<void> => {
    await saveRoutes(tx, routes);
    onSaved();
  };
  return [
    consumer('webhooks-customers', 'customer.*.v1').on(
      [CustomerCreated, CustomerUpdated, CustomerDeleted],
      async (tx, deliveries, publish) => {
        const created = deliveries.filter(({ event }) => event.type === CustomerCreated.name).map(toHolder);
        const shared = await lockShared(tx, created);
        const routes = deliveries.map(it => toRoute('customer', it, it.data.processorCustomerId));
        await save(tx, routes);
        await sendMissedEvents(tx, publish, shared);
      },
    ),
    consumer('webhooks-products', 'product.*.v1').on(
      [ProductCreated, ProductUpdated, ProductDeleted],
      async (tx, deliveries) => {
        const routes = deliveries.map(it => toRoute('product', it, it.data.processorProductId));
        await save(tx, routes);
      },
    ),
    consumer('webhooks-prices', 'price.*.v1').on([PriceCreated, PriceUpdated, PriceDeleted], async (tx, deliveries) => {
      const routes = deliveries.map(it => toRoute('price', it, it.data.processorPriceId));
      await save(tx, routes);
    }),
    consumer('webhooks-coupons', 'coupon.saved.v1').on(CouponSaved, async (tx, deliveries) => {
      const routes = deliveries.map(it => toRoute('coupon', it, it.data.processorCouponId));
      await save(tx, routes);
    }),
    consumer('webhooks-promotion-codes', 'promotion-code.saved.v1').on(PromotionCodeSaved, async (tx, deliveries) => {
      const routes = deliveries.map(it => toRoute('promotion_code', it, it.data.processorPromotionCodeId));
      await save(tx, routes);
    }),
  ];
}

function toHolder({ teamId, data }: { readonly teamId: TeamId; readonly data: CustomerState }): NewHolder {
  const { projectId, processorCustomerId: customerId, createdAt, linkedToExisting } = data;
  return { teamId, projectId, customerId, createdAt, linkedToExisting };
}

interface RecordChange {
  readonly teamId: TeamId;
  readonly data: Pick<CustomerState, 'projectId' | 'version' | 'createdAt' | 'deletedAt'> & { readonly id: string };
}

function toRoute(kind: ReferenceKind, { teamId, data }: RecordChange, processorId: string): RouteRecord {
  const { id: resourceId, projectId, version, createdAt, deletedAt } = data;
  return { teamId, resourceId, kind, processorId, projectId, version, createdAt, deleted: deletedAt !== null };
}
