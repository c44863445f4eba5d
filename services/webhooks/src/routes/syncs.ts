import { syncOperations } from '@billing/contracts/operations/syncs';
import type { Outbox } from '@billing/messaging/outbox';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { describeSync, findSync, listFindings, listSyncs } from '#operations/find-syncs.ts';
import { cancelSync, startSync } from '#operations/start-and-cancel-syncs.ts';
import type { TeamReads } from '#persistence/team-reads.ts';

interface Dependencies {
  readonly reads: TeamReads;
  readonly outbox: Outbox;
  readonly now: () => Date;
  /** Called when a sync was queued. */
  readonly onQueued: () => void;
}

/** Syncs of a project with the account of its team. */
export const syncRoutes =
  ({ reads, outbox, now, onQueued }: Dependencies) =>
  (app: HttpServer): void => {
    const start = startSync(outbox);
    const cancel = cancelSync({ outbox, now });
    serve(app, syncOperations.createSync, async ({ params, body, audit, operationKey }) => {
      const sync = await start(params, body, audit, operationKey);
      onQueued();
      return { sync };
    });
    serve(app, syncOperations.listSyncs, ({ params, query }) =>
      reads(params.teamId, em => listSyncs(em, params, query)),
    );
    serve(app, syncOperations.getSync, ({ params: { syncId, ...scope } }) =>
      reads(scope.teamId, async em => {
        const fork = em.fork();
        return { sync: await describeSync(fork, await findSync(fork, scope, syncId)) };
      }),
    );
    serve(app, syncOperations.cancelSync, async ({ params: { syncId, ...scope }, audit }) => ({
      sync: await cancel(scope, syncId, audit),
    }));
    serve(app, syncOperations.listSyncFindings, ({ params: { syncId, ...scope }, query }) =>
      reads(scope.teamId, async em => listFindings(em, await findSync(em.fork(), scope, syncId), query)),
    );
  };
