import type { EntityManager } from '@mikro-orm/postgresql';
import { CustomerDeleted } from '@billing/contracts/events/customers';
import type { TeamId } from '@billing/contracts/ids';
import { Inbox } from '@billing/messaging/inbox';
import type { Logger } from 'pino';
import { endSessionsOf } from '#operations/end-sessions.ts';

/** The links of a customer who is deleted end with them. */
export function reactToCustomers(em: EntityManager, logger: Logger): Inbox {
  return new Inbox(em, 'portal-customers', logger).on(CustomerDeleted, async (tx, { id, projectId }, event) => {
    const teamId = event.teamId as TeamId; // facts carry the id of the team whose service recorded them
    await endSessionsOf(tx, { teamId, projectId }, id);
  });
}
