import { defineEntity, p } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectId, TeamId } from '@billing/contracts/ids';

const CustomerCopySchema = defineEntity({
  name: 'CustomerCopy',
  tableName: 'customer_copies',
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    projectId: p.text().$type<ProjectId>().primary(),
    id: p.text().$type<CustomerId>().primary(),
    /** Null while only a subscription of the customer was seen. */
    processorCustomerId: p.text().nullable(),
    /** The newest version seen; 0 while only a subscription of the customer was seen. */
    version: p.integer(),
    deletedAt: p.datetime().nullable(),
    /** When the first subscription was created; null for a customer who can still be referred. */
    subscribedAt: p.datetime().nullable(),
    /** The latest start of a subscription that is or was active or trialing. */
    activeStartedAt: p.datetime().nullable(),
  },
});

/** A copy of a customer. Applying a code and converting a referral exclude each other by locking the referee's row. */
export class CustomerCopy extends CustomerCopySchema.class {}
CustomerCopySchema.setClass(CustomerCopy);
