import { CustomerDeleted } from '@billing/contracts/events/customers';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import { revokeSessionsOfCustomers } from '#operations/revoke-sessions.ts';

/** Revokes the sessions of customers who are deleted. */
export const customerEvents = (): Consumer =>
  consumer('portal-customers', CustomerDeleted.name).on(CustomerDeleted, (tx, deliveries) =>
    revokeSessionsOfCustomers({ em: tx })(
      deliveries.map(({ teamId, data: { id, projectId } }) => ({ teamId, projectId, customerId: id })),
    ),
  );
