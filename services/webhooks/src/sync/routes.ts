import { syncOperations } from '@billing/contracts/operations/syncs';
import type { Outbox } from '@billing/messaging/outbox';
import type { HttpServer } from '@billing/service/http';
import type { Principal } from '@billing/service/identity-token';
import { serve } from '@billing/service/serve';
import type { TeamReads } from '@billing/service/team-reads';
import { describeSync, findSync, listFindings, listSyncs } from './find-syncs.ts';
import { filterFor, requireScopesOf } from './sync-access.rules.ts';
import { cancelSync, startSync } from './start-and-cancel-syncs.ts';

interface Dependencies {
  readonly reads: TeamReads;
  readonly outbox: Outbox;
  readonly now: () => Date;
  /** Called when a sync was queued. */
  readonly onQueued: () => void;
}

/** The scopes of an API key; null of a session, which has all. */
const scopesOf = (principal: Principal) => (principal.kind === 'api-key' ? principal.scopes : null);
const isKey = ({ kind }: Principal): boolean => kind === 'api-key';

/** Syncs of a project with the account of its team. */
export const syncRoutes =
  ({ reads, outbox, now, onQueued }: Dependencies) =>
  (app: HttpServer): void => {
    const start = startSync(outbox);
    const cancel = cancelSync({ outbox, now });
    serve(app, syncOperations.createSync, async ({ params, body, principal, audit, operationKey }) => {
      const wanted = { ...body, filter: filterFor(body.filter, isKey(principal)) };
      const sync = await reads(params.teamId, () => start(params, wanted, audit, operationKey));
      onQueued();
      return { sync };
    });
    serve(app, syncOperations.listSyncs, ({ params, query, principal }) => {
      requireScopesOf(query.kind ?? 'account', scopesOf(principal), 'read');
      return reads(params.teamId, em => listSyncs(em, params, query));
    });
    serve(app, syncOperations.getSync, ({ params: { syncId, ...scope }, principal }) =>
      reads(scope.teamId, async em => {
        const fork = em.fork();
        const sync = await findSync(fork, scope, syncId);
        requireScopesOf(sync.kind, scopesOf(principal), 'read');
        return { sync: await describeSync(fork, sync) };
      }),
    );
    serve(app, syncOperations.cancelSync, ({ params: { syncId, ...scope }, principal, audit }) =>
      reads(scope.teamId, async em => {
        requireScopesOf((await findSync(em.fork(), scope, syncId)).kind, scopesOf(principal), 'write');
        return { sync: await cancel(scope, syncId, audit) };
      }),
    );
    serve(app, syncOperations.listSyncFindings, ({ params: { syncId, ...scope }, query, principal }) =>
      reads(scope.teamId, async em => {
        const sync = await findSync(em.fork(), scope, syncId);
        requireScopesOf(sync.kind, scopesOf(principal), 'read');
        return listFindings(em, sync, { ...query, ownOnly: isKey(principal) });
      }),
    );
  };
