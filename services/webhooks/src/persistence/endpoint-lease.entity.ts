import { defineEntity, p } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';

const EndpointLeaseSchema = defineEntity({
  name: 'EndpointLease',
  tableName: 'endpoint_leases',
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    leaseId: p.uuid(),
    leasedUntil: p.datetime(),
  },
});

/** The right of one request to make and delete a team's webhook endpoints at Stripe. */
export class EndpointLease extends EndpointLeaseSchema.class {}
EndpointLeaseSchema.setClass(EndpointLease);
