import { outgoingOperations } from '@billing/contracts/operations/outgoing';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { findEvent, listEvents } from '#outgoing/list-events.ts';
import type { RecordedEvents } from '#outgoing/recorded-events.ts';
import type { TeamReads } from '#persistence/team-reads.ts';

interface Dependencies {
  readonly reads: TeamReads;
  readonly recorded: Pick<RecordedEvents, 'next'>;
  /** Whether this process closes: nobody waits for the end of it. */
  readonly isClosing: () => boolean;
}

/** Events for tenants, by cursor and one by one. */
export const eventRoutes =
  ({ reads, recorded, isClosing }: Dependencies) =>
  (app: HttpServer): void => {
    serve(app, outgoingOperations.listEvents, async ({ params, query: { waitMs, ...query }, request }) => {
      const until = performance.now() + waitMs;
      for (;;) {
        // Before the read, so that what is recorded during it is not missed.
        const next = recorded.next(params.teamId, until - performance.now());
        const page = await reads(params.teamId, em => listEvents(em, params, query));
        const isFinal = page.events.length > 0 || query.order === 'desc' || page.hasMore;
        if (isFinal || isClosing() || performance.now() >= until || request.raw.destroyed) return page;
        await next;
      }
    });
    serve(app, outgoingOperations.getEvent, async ({ params: { publicEventId, ...scope } }) => ({
      event: await reads(scope.teamId, em => findEvent(em, scope, publicEventId)),
    }));
  };
