import { defineEntity, p } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectId, TeamId } from '@billing/contracts/ids';

const CustomerSchema = defineEntity({
  name: 'Customer',
  tableName: 'customers',
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    projectId: p.text().$type<ProjectId>().primary(),
    id: p.text().$type<CustomerId>().primary(),
    /** Null while the customer is known only from having subscribed. */
    processorCustomerId: p.text().nullable(),
    /** Of the newest state seen; 0 while the customer is known only from having subscribed. */
    version: p.integer(),
    deletedAt: p.datetime().nullable(),
    /** When the first subscription became known; null for one who can still be referred. */
    subscribedAt: p.datetime().nullable(),
  },
});

/** Our own copy of a customer. Applying a code and converting a referral take turns by locking the referee's row. */
export class Customer extends CustomerSchema.class {}
CustomerSchema.setClass(Customer);
