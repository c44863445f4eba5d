import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId, ProjectScope } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import { inTransaction } from '@billing/database/transaction';
import { keyColumns, scopedKey, type ProjectObject } from '@billing/database/project-objects';
import type { EventHandler } from '@billing/messaging/consumer/consumer';
import type { Delivery } from '@billing/messaging/consumer/delivery';
import { missingOrThrow } from '@billing/processor/errors';
import type { Source } from '@billing/service/save-record';
import { saveDiscounted, type DiscountedCustomer } from '#copies/find-customers';
import type { Dependencies } from '../dependencies.ts';
import type { Reread } from './observation.rules.ts';
import { readSubscription } from './read-subscription.ts';
import { saveReads } from './save-reads.ts';
import { subscriptionRows, toProjectObject } from './subscription-rows.ts';
import type { Subscription } from './subscription.entity.ts';

/** A subscription, or those of a customer that have not ended, by the processor's id. */
export type Concerned = { readonly subscriptionId: string } | { readonly customerId: string };

interface Reason<Data> {
  /** Which recorded subscriptions an event concerns; null for none. */
  readonly concernedBy: (data: Data) => Concerned | null;
  /** Whether the record may not know what the event tells. */
  readonly isNeeded: (row: Subscription, delivery: Delivery<Data>) => boolean;
  /** When and why what the event tells changes something. */
  readonly sourceOf: (delivery: Delivery<Data>) => Source;
  /** Whether no event of the subscription need show what is read. */
  readonly isOnlySource: boolean;
  /** The discount that a customer has by the event: noted for subscriptions that have no record yet. Null for none. */
  readonly discountedBy?: (delivery: Delivery<Data>) => DiscountedCustomer | null;
}

/** What was read of each subscription, by the processor's id. */
type Reads = ReadonlyMap<string, Reread | 'missing'>;

/** Reads recorded subscriptions again because of events that concern them and do not contain them. */
export function rereadSubscriptions<Data extends { readonly projectId: ProjectId }>(
  { em, processors, now }: Pick<Dependencies, 'em' | 'processors' | 'now'>,
  { concernedBy, isNeeded, sourceOf, isOnlySource, discountedBy = () => null }: Reason<Data>,
): EventHandler<Data, Reads> {
  const read = readSubscription({ em, processors, now });
  const scopeOf = ({ teamId, data: { projectId } }: Delivery<Data>): ProjectScope => ({ teamId, projectId });

  const findNeeded = async <Given extends Delivery<Data>>(inEm: EntityManager, deliveries: readonly Given[]) => {
    const rowsOf = await findConcerned(
      inEm,
      deliveries.map(delivery => ({ scope: scopeOf(delivery), concerned: concernedBy(delivery.data) })),
    );
    return deliveries.map((delivery, index) => ({
      delivery,
      rows: (rowsOf[index] ?? []).filter(row => isNeeded(row, delivery)),
    }));
  };

  return {
    prepare: async delivery => {
      const discounted = discountedBy(delivery);
      // Before recorded subscriptions are looked for: one that is recorded meanwhile waits for this, and then is read.
      if (discounted) await inTransaction(em.fork(), tx => saveDiscounted(tx, [discounted]));
      const [needed] = await findNeeded(em.fork(), [delivery]);
      const reads = new Map<string, Reread | 'missing'>();
      for (const object of (needed?.rows ?? []).map(toProjectObject))
        reads.set(object.id, await read(object).catch(missingOrThrow));
      return reads;
    },
    handle: async (tx, deliveries, publish) => {
      const needed = await findNeeded(tx, deliveries);
      const reads = needed.flatMap(({ delivery, rows }) =>
        rows.flatMap(row => {
          const reread = delivery.context?.get(row.processorSubscriptionId);
          if (!reread || reread === 'missing') return [];
          const source = sourceOf(delivery);
          return [{ delivery, scope: scopeOf(delivery), reread, source, becauseOfEvent: !isOnlySource }];
        }),
      );
      const { outdated } = await saveReads(tx, reads, { publish, now: now() });
      const unprepared = needed.flatMap(({ delivery, rows }) => {
        const isRead = (row: Subscription) => delivery.context?.has(row.processorSubscriptionId) ?? false;
        const isNoted = delivery.context !== undefined || discountedBy(delivery) === null;
        return isNoted && rows.every(isRead) ? [] : [delivery];
      });
      // What was saved of a customer's other subscriptions changes nothing a second time.
      return [...new Set([...unprepared, ...outdated.map(({ delivery }) => delivery)])];
    },
  };
}

/** Finds the recorded subscriptions that each of several events concerns. */
async function findConcerned(
  em: EntityManager,
  events: readonly { readonly scope: ProjectScope; readonly concerned: Concerned | null }[],
): Promise<Subscription[][]> {
  const customers = events.flatMap(({ scope, concerned }) =>
    concerned && 'customerId' in concerned ? [{ scope, id: concerned.customerId }] : [],
  );
  const ofCustomers = await findIdsOfCustomers(em, customers);
  const objectsOf = ({ scope, concerned }: (typeof events)[number]): readonly ProjectObject[] => {
    if (!concerned) return [];
    if ('subscriptionId' in concerned) return [{ scope, id: concerned.subscriptionId }];
    return ofCustomers.get(scopedKey({ scope, id: concerned.customerId })) ?? [];
  };
  const rows = await subscriptionRows.find(em, events.flatMap(objectsOf));
  return events.map(event => objectsOf(event).flatMap(object => rows.get(scopedKey(object)) ?? []));
}

/** Finds the subscriptions of customers of the processor that have not ended, by the `scopedKey` of the customer. */
async function findIdsOfCustomers(em: EntityManager, customers: readonly ProjectObject[]) {
  if (customers.length === 0) return new Map<string, ProjectObject[]>();
  const found = await executeBound<ProjectScope & { readonly id: string; readonly customerId: string }>(
    em,
    `select distinct subscription.team_id as "teamId", subscription.project_id as "projectId",
            subscription.processor_subscription_id as id, subscription.processor_customer_id as "customerId"
       from unnest($1::text[], $2::text[], $3::text[]) as customer (team_id, project_id, id)
       join subscriptions subscription
         on subscription.team_id = customer.team_id and subscription.project_id = customer.project_id
        and subscription.processor_customer_id = customer.id and subscription.ended_at is null`,
    keyColumns(customers),
  );
  const byCustomer = new Map<string, ProjectObject[]>();
  for (const { id, customerId, ...scope } of found) {
    const key = scopedKey({ scope, id: customerId });
    byCustomer.set(key, [...(byCustomer.get(key) ?? []), { scope, id }]);
  }
  return byCustomer;
}
