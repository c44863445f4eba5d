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
    /** Of the newest state that led here, as its owner counts. */
    version: p.integer(),
    createdAt: p.datetime(),
    /** A deleted record leads to its project only where no live one exists. */
    deleted: p.boolean(),
  },
});

/** Which project has a record of one of Stripe's objects; kept up to date by the events of the owning services. */
export class Route extends RouteSchema.class {}
RouteSchema.setClass(Route);

const ProjectCopySchema = defineEntity({
  name: 'ProjectCopy',
  tableName: 'project_copies',
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    projectId: p.text().$type<ProjectId>().primary(),
  },
});

/** Which projects a team has: a copy of the gateway's. A project never moves to another team. */
export class ProjectCopy extends ProjectCopySchema.class {}
ProjectCopySchema.setClass(ProjectCopy);

const CustomerLookUpSchema = defineEntity({
  name: 'CustomerLookUp',
  tableName: 'customer_look_ups',
  indexes: [{ name: 'customer_look_ups_valid', properties: ['validUntil'] }],
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    /** Stripe's id. */
    processorCustomerId: p.text().primary(),
    validUntil: p.datetime(),
    /** False while the look-up runs. */
    hasEnded: p.boolean(),
    /** The project that the customer's metadata named; it may be another team's. */
    projectId: p.text().$type<ProjectId>().nullable(),
  },
});

/** What a customer at Stripe of whom no project has a record said about its project. */
export class CustomerLookUp extends CustomerLookUpSchema.class {}
CustomerLookUpSchema.setClass(CustomerLookUp);
