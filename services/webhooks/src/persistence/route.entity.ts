import { defineEntity, p } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId } from '@billing/contracts/ids';
import type { ReferenceKind } from '#domain/route-hints.ts';

const RouteSchema = defineEntity({
  name: 'Route',
  tableName: 'routes',
  indexes: [{ name: 'routes_processor_id', properties: ['teamId', 'kind', 'processorId'] }],
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    /** Our id of the customer, product or price; of a subscription, Stripe's. */
    resourceId: p.text().primary(),
    kind: p.text().$type<ReferenceKind>(),
    processorId: p.text(),
    projectId: p.text().$type<ProjectId>(),
    version: p.integer(),
    createdAt: p.datetime(),
    /** A deleted record leads to its project only where no live one exists. */
    deleted: p.boolean(),
  },
});

/** Which project has a record of one of Stripe's objects; kept up to date by the events of the owning services. */
export class Route extends RouteSchema.class {}
RouteSchema.setClass(Route);
