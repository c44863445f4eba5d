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
import { TestClockSaved } from '@billing/contracts/events/test-clocks';
import type { TeamId } from '@billing/contracts/ids';
import { recordFilter } from '@billing/contracts/events/record-event';
import type { Publish } from '@billing/messaging/outbox';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import { ProcessorEventCompleted } from '@billing/contracts/processor-events';
import type { ReferenceKind } from './route-hints.rules.ts';
import { saveProjects, saveRoutes, type RouteRecord } from './route-rows.ts';
import { lockShared, sendMissedEvents, type NewHolder } from './send-missed-events.ts';
import { completeEvents, type Reported } from './complete.ts';
import { countChanges } from './event-totals.ts';

/** Copies which projects a team has. */
export const projectCopies = (): Consumer =>
  consumer('webhooks-projects', 'project.*.v1').on([ProjectCreated, ProjectUpdated], (tx, deliveries) =>
    saveProjects(
      tx,
      deliveries.map(({ teamId, data }) => ({ teamId, projectId: data.id })),
    ),
  );

/**
 * Record which projects have a customer or a record of the catalog. `onSaved` runs for each batch: events that found no
 * project may be due.
 */
export function routeConsumers(onSaved: () => void): Consumer[] {
  const save = async <Data extends RecordState>(
    tx: EntityManager,
    publish: Publish,
    kind: ReferenceKind,
    changes: readonly { readonly teamId: TeamId; readonly data: Data }[],
    processorIdOf: (data: Data) => string,
  ): Promise<void> => {
    const routes = changes.map(({ teamId, data }): RouteRecord => {
      const { id: resourceId, projectId, version, createdAt, deletedAt } = data;
      const place = { teamId, projectId, resourceId, kind, processorId: processorIdOf(data) };
      return { ...place, version, createdAt, deleted: deletedAt !== null };
    });
    await countChanges(tx, publish, await saveRoutes(tx, routes));
    onSaved();
  };
  return [
    consumer('webhooks-customers', recordFilter('customer')).on(
      [CustomerCreated, CustomerUpdated, CustomerDeleted],
      async (tx, deliveries, publish) => {
        const created = deliveries.filter(({ event }) => event.type === CustomerCreated.name).map(toHolder);
        const shared = await lockShared(tx, created);
        await save(tx, publish, 'customer', deliveries, it => it.processorCustomerId);
        await sendMissedEvents(tx, publish, shared);
      },
    ),
    consumer('webhooks-products', recordFilter('product')).on(
      [ProductCreated, ProductUpdated, ProductDeleted],
      (tx, deliveries, publish) => save(tx, publish, 'product', deliveries, it => it.processorProductId),
    ),
    consumer('webhooks-prices', recordFilter('price')).on(
      [PriceCreated, PriceUpdated, PriceDeleted],
      (tx, deliveries, publish) => save(tx, publish, 'price', deliveries, it => it.processorPriceId),
    ),
    consumer('webhooks-coupons', 'coupon.saved.v1').on(CouponSaved, (tx, deliveries, publish) =>
      save(tx, publish, 'coupon', deliveries, it => it.processorCouponId),
    ),
    consumer('webhooks-promotion-codes', 'promotion-code.saved.v1').on(PromotionCodeSaved, (tx, deliveries, publish) =>
      save(tx, publish, 'promotion_code', deliveries, it => it.processorPromotionCodeId),
    ),
    consumer('webhooks-test-clocks', 'test-clock.saved.v1').on(TestClockSaved, (tx, deliveries, publish) =>
      save(tx, publish, 'test_clock', deliveries, it => it.processorTestClockId),
    ),
  ];
}

function toHolder({ teamId, data }: { readonly teamId: TeamId; readonly data: CustomerState }): NewHolder {
  const { projectId, processorCustomerId: customerId, createdAt, linkedToExisting } = data;
  return { teamId, projectId, customerId, createdAt, linkedToExisting };
}

type RecordState = Pick<CustomerState, 'projectId' | 'version' | 'createdAt' | 'deletedAt'> & { readonly id: string };

/** Records how the owning services handled events. */
export const completionConsumer = (pipeline: { readonly reported: (events: readonly Reported[]) => void }): Consumer =>
  consumer('webhooks-completions', 'processor-event.completed.v1').on(
    ProcessorEventCompleted,
    async (tx, deliveries, publish) => {
      const completions = deliveries.flatMap(({ teamId, data }) => data.completions.map(it => ({ teamId, ...it })));
      pipeline.reported(await completeEvents(tx, completions, publish));
    },
  );
