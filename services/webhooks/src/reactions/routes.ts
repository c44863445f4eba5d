import type { EntityManager } from '@mikro-orm/postgresql';
import {
  PriceCreated,
  PriceDeleted,
  PriceUpdated,
  ProductCreated,
  ProductDeleted,
  ProductUpdated,
  type PriceState,
  type ProductState,
} from '@billing/contracts/events/catalog';
import {
  CustomerCreated,
  CustomerDeleted,
  CustomerUpdated,
  type CustomerState,
} from '@billing/contracts/events/customers';
import { ProjectCreated, ProjectUpdated, type ProjectState } from '@billing/contracts/events/gateway';
import { SubscriptionCreated, type SubscriptionState } from '@billing/contracts/events/subscriptions';
import type { Envelope } from '@billing/contracts/event';
import type { TeamId } from '@billing/contracts/ids';
import { Inbox } from '@billing/messaging/inbox';
import type { Logger } from 'pino';
import type { ReferenceKind } from '#domain/reference.ts';
import { keepProject, keepRoute, keepRoutes, type Held } from '#operations/keep-route.ts';

/** Facts carry the id of the team whose service recorded them. */
const teamOf = (event: Envelope) => event.teamId as TeamId;

/** Which projects a team has. */
export function reactToProjects(em: EntityManager, logger: Logger): Inbox {
  const keep = (tx: EntityManager, { id }: ProjectState, event: Envelope) => keepProject(tx, teamOf(event), id);
  return new Inbox(em, 'webhooks-projects', logger).on(ProjectCreated, keep).on(ProjectUpdated, keep);
}

/** Which projects hold a customer. */
export function reactToCustomers(em: EntityManager, logger: Logger): Inbox {
  const keep = (tx: EntityManager, it: CustomerState, event: Envelope) =>
    keepRoute(tx, teamOf(event), heldAs('customer', it.processorCustomerId, it));
  return new Inbox(em, 'webhooks-customers', logger)
    .on(CustomerCreated, keep)
    .on(CustomerUpdated, keep)
    .on(CustomerDeleted, keep);
}

/**
 * Which project holds a subscription. It stays there, also once it has ended, so its first fact says all; there are far
 * more of the others.
 */
export function reactToSubscriptions(em: EntityManager, logger: Logger): Inbox {
  const heldBy = (it: SubscriptionState) =>
    heldAs('subscription', it.processorSubscriptionId, { ...it, deletedAt: null });
  return new Inbox(em, 'webhooks-subscriptions', logger)
    .on(SubscriptionCreated, (tx, it, event) => keepRoute(tx, teamOf(event), heldBy(it)))
    .together(async (tx, heard) => {
      const held = heard.map(({ event }) => ({
        teamId: teamOf(event),
        ...heldBy(SubscriptionCreated.data.parse(event.data)),
      }));
      await keepRoutes(tx, held);
      return heard;
    });
}

/** Which project holds a product. */
export function reactToProducts(em: EntityManager, logger: Logger): Inbox {
  const keep = (tx: EntityManager, it: ProductState, event: Envelope) =>
    keepRoute(tx, teamOf(event), heldAs('product', it.processorProductId, it));
  return new Inbox(em, 'webhooks-products', logger)
    .on(ProductCreated, keep)
    .on(ProductUpdated, keep)
    .on(ProductDeleted, keep);
}

/** Which project holds a price. */
export function reactToPrices(em: EntityManager, logger: Logger): Inbox {
  const keep = (tx: EntityManager, it: PriceState, event: Envelope) =>
    keepRoute(tx, teamOf(event), heldAs('price', it.processorPriceId, it));
  return new Inbox(em, 'webhooks-prices', logger).on(PriceCreated, keep).on(PriceUpdated, keep).on(PriceDeleted, keep);
}

function heldAs(
  kind: ReferenceKind,
  processorId: string,
  resource: Pick<CustomerState, 'projectId' | 'version' | 'createdAt' | 'deletedAt'> & { id: string },
): Held {
  const { id: resourceId, projectId, version, createdAt, deletedAt } = resource;
  const reference = { kind, id: processorId };
  return { resourceId, reference, projectId, version, createdAt, deleted: deletedAt !== null };
}
