import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { usageOperations as operations } from '@billing/contracts/operations/usage';
import { notFound } from '@billing/contracts/problem';
import type { SummaryQuery, UsageSummary } from '@billing/contracts/resources/usage';
import { findNewest } from '@billing/database/find-newest';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { Routes } from '@billing/service/definition';
import { serve } from '@billing/service/serve';
import { customers } from '#persistence/find-customer.ts';
import { recordUsage } from './record-usage.ts';
import { toResource, UsageEvent } from './usage-event.entity.ts';
import { roundTime } from './usage.rules.ts';

type Parts = Parameters<typeof recordUsage>[0] & { readonly processors: TeamProcessors };

/** The HTTP surface of usage. */
export function usageRoutes(parts: Parts): Routes {
  const { em } = parts;
  const record = recordUsage(parts);
  const sumUp = sumUpUsage(parts);
  return app => {
    serve(app, operations.recordUsage, ({ params, body: { events }, audit }) => record(params, events, audit));
    serve(app, operations.listUsage, async ({ params, query: { status, customerId, meter, ...page } }) => {
      const { teamId, projectId } = params;
      const wanted = { teamId, projectId, status, customerId, meter };
      const [rows, pagination] = await findNewest(em.fork(), UsageEvent, wanted, page);
      return { usage: rows.map(toResource), pagination };
    });
    serve(app, operations.getUsageSummaries, async ({ params: { customerId, ...scope }, query }) => ({
      summaries: await sumUp(scope, customerId, query),
    }));
  };
}

/**
 * Sums up what a meter of the processor has counted of a customer.
 * @throws Problem 400 for an empty time, or too many windows; 404
 */
function sumUpUsage({ em, processors }: { readonly em: EntityManager; readonly processors: TeamProcessors }) {
  return async (scope: ProjectScope, id: CustomerId, { meter, ...span }: SummaryQuery): Promise<UsageSummary[]> => {
    const time = roundTime(span);
    const { processorId } = await customers.find(em.fork(), scope, id);
    const processor = await processors.of(scope.teamId);
    const found = await processor.findMeter(meter);
    if (!found) throw notFound('meter');
    return processor.sumUpUsage(found.id, processorId, time);
  };
}
