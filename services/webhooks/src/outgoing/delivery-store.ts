import type { EntityManager } from '@mikro-orm/postgresql';
import { openBatcher } from '@billing/messaging/batcher';
import { commitDeliveries, type EndpointProgress } from './commit-deliveries.ts';
import { readBodies, readEvents, readLeft, type EventsAfter, type EventsAt } from './delivery-rows.ts';
import { readNews, releaseEndpoints, type LeasedEndpoint, type Release } from './endpoint-rows.ts';

/** Events that are read at once for one endpoint. */
export const WINDOW = 200;
/** Endpoints that share a statement which reads many rows for each. */
const MAX_READING = 50;

/** What deliveries read and write. */
export type DeliveryStore = ReturnType<typeof openDeliveryStore>;

/**
 * Opens what deliveries read and write. Endpoints that want the same at the same time share a statement: what comes while one
 * runs goes into the next one, so that many busy endpoints cost about as many statements as a few.
 */
export function openDeliveryStore(em: EntityManager) {
  const news = openBatcher((endpoints: readonly LeasedEndpoint[]) => readNews(em.fork(), endpoints));
  const commit = openBatcher((progress: readonly EndpointProgress[]) => commitDeliveries(em.fork(), progress), {
    weigh: ({ settled }) => 1 + settled.length,
  });
  return {
    readLeft: openBatcher((endpoints: readonly LeasedEndpoint[]) => readLeft(em.fork(), endpoints)),
    readEvents: openBatcher((places: readonly EventsAfter[]) => readEvents(em.fork(), places, WINDOW), {
      maxItems: MAX_READING,
    }),
    readBodies: openBatcher((wanted: readonly EventsAt[]) => readBodies(em.fork(), wanted), {
      weigh: ({ positions }) => positions.length,
      maxWeight: WINDOW,
    }),
    /** Undefined when this process has lost the lease. */
    readNews: async (endpoint: LeasedEndpoint) => (await news(endpoint)) ?? undefined,
    /** Undefined when this process has lost the lease: then nothing was written. */
    commit: async (progress: EndpointProgress) => (await commit(progress)) ?? undefined,
    release: openBatcher(async (releases: readonly Release[]) => {
      await releaseEndpoints(em.fork(), releases);
      return releases.map(() => 'released' as const);
    }),
  };
}
