import { defineEntity, p } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId } from '@billing/contracts/ids';
import type { ReferenceKind } from '#domain/reference.ts';

const RouteSchema = defineEntity({
  name: 'Route',
  tableName: 'routes',
  indexes: [{ name: 'routes_processor_id', properties: ['teamId', 'kind', 'processorId'] }],
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    /** Our id of the customer, subscription, product or price. */
    resourceId: p.text().primary(),
    kind: p.text().$type<ReferenceKind>(),
    processorId: p.text(),
    projectId: p.text().$type<ProjectId>(),
    version: p.integer(),
    createdAt: p.datetime(),
    /** A deleted resource leads to its project only where no other one does. */
    deleted: p.boolean(),
  },
});

/** Which project holds a thing of the processor; fed by the facts of whoever owns it. */
export class Route extends RouteSchema.class {}
RouteSchema.setClass(Route);
