import type { EntityManager } from '@mikro-orm/postgresql';
import { CustomerDeleted } from '@billing/contracts/events/customers';
import type { TeamId } from '@billing/contracts/ids';
import { Inbox } from '@billing/messaging/inbox';
import type { Logger } from 'pino';
import { revokeSessionsOfCustomers } from '#operations/revoke-sessions.ts';

/** Revokes the sessions of a customer who is deleted. */
export function customerEvents(em: EntityManager, logger: Logger): Inbox {
  return new Inbox(em, 'portal-customers', logger).on(CustomerDeleted, async (tx, { id, projectId }, event) => {
    const teamId = event.teamId as TeamId; // the publishing service sets the id of its team
    await revokeSessionsOfCustomers({ em: tx })([{ teamId, projectId, customerId: id }]);
  });
}
