import type { EntityManager } from '@mikro-orm/postgresql';
import { analyticsOperations } from '@billing/contracts/operations/analytics';
import type { RpcClient } from '@billing/messaging/rpc';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { getAnalytics } from '#operations/get-analytics.ts';
import { getCustomers } from '#operations/get-customers.ts';
import { getHistory } from '#operations/get-history.ts';
import { listCancellations } from '#operations/list-cancellations.ts';
import { listCustomersByMrr } from '#operations/list-customers-by-mrr.ts';
import { listSubscriptions } from '#operations/list-subscriptions.ts';

interface Dependencies {
  readonly em: EntityManager;
  readonly rpc: RpcClient;
  readonly now: () => Date;
}

/** `GET P/analytics`, its history, the subscriptions behind its metrics, and the part that customers have in them. */
export function analyticsRoutes({ em, rpc, now }: Dependencies) {
  const analytics = getAnalytics({ em, rpc, now });
  const history = getHistory({ em, rpc, now });
  const list = listSubscriptions({ em, rpc, now });
  const cancellations = listCancellations({ em, now });
  const customers = getCustomers({ em });
  const byMrr = listCustomersByMrr({ em, rpc });
  return (app: HttpServer): void => {
    serve(app, analyticsOperations.getAnalytics, ({ params: { teamId, projectId }, query }) =>
      analytics({ teamId, projectId }, query),
    );
    serve(app, analyticsOperations.getAnalyticsHistory, ({ params: { teamId, projectId }, query }) =>
      history({ teamId, projectId }, query),
    );
    serve(app, analyticsOperations.listCancellations, ({ params: { teamId, projectId }, query }) =>
      cancellations({ teamId, projectId }, query),
    );
    serve(app, analyticsOperations.listAnalyticsSubscriptions, ({ params: { teamId, projectId }, query }) =>
      list({ teamId, projectId }, query),
    );
    serve(app, analyticsOperations.getAnalyticsCustomers, ({ params: { teamId, projectId }, query: { ids } }) =>
      customers({ teamId, projectId }, ids),
    );
    serve(app, analyticsOperations.listCustomersByMrr, ({ params: { teamId, projectId }, query }) =>
      byMrr({ teamId, projectId }, query),
    );
  };
}
