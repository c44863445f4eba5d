import { defineEntity, p } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId } from '@billing/contracts/ids';

const CustomerLookUpSchema = defineEntity({
  name: 'CustomerLookUp',
  tableName: 'customer_look_ups',
  indexes: [{ name: 'customer_look_ups_begun', properties: ['begunAt'] }],
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    /** Stripe's id. */
    processorCustomerId: p.text().primary(),
    begunAt: p.datetime(),
    /** False while the look-up runs. */
    hasEnded: p.boolean(),
    /** The project that the customer's metadata named; it may be another team's. */
    projectId: p.text().$type<ProjectId>().nullable(),
  },
});

/** What a customer at Stripe of whom no project has a record said about its project: looked up at most once an hour. */
export class CustomerLookUp extends CustomerLookUpSchema.class {}
CustomerLookUpSchema.setClass(CustomerLookUp);
