import { analyticsOperations } from '@billing/contracts/operations/analytics';
import type { HttpServer } from '@billing/service/http';
import { serve } from '@billing/service/serve';
import { describeHistory } from '#operations/describe-history.ts';
import { describeProject } from '#operations/describe-project.ts';
import type { Dependencies } from '../app.ts';

/** What may be asked of analytics. */
export function serveAnalytics(app: HttpServer, { database: { em }, rpc, clock }: Dependencies): void {
  const describe = describeProject({ em, rpc, clock });
  const describeDays = describeHistory({ em, rpc, clock });

  serve(app, analyticsOperations.getAnalytics, ({ params: { teamId, projectId }, query: { growthDays } }) =>
    describe({ teamId, projectId }, growthDays),
  );

  serve(app, analyticsOperations.getAnalyticsHistory, ({ params: { teamId, projectId }, query: { days } }) =>
    describeDays({ teamId, projectId }, days),
  );
}
