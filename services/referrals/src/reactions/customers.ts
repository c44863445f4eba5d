import type { EntityManager } from '@mikro-orm/postgresql';
import { CustomerCreated, CustomerDeleted, CustomerUpdated } from '@billing/contracts/events/customers';
import type { TeamId } from '@billing/contracts/ids';
import { Inbox } from '@billing/messaging/inbox';
import type { Logger } from 'pino';
import { deactivateCodeOf } from '#operations/deactivate-code.ts';
import { keepCustomer } from '#persistence/customers.ts';

/** Keeps our own copy of customers; the code of one who is deleted stops working. */
export function reactToCustomers(em: EntityManager, clock: () => Date, logger: Logger): Inbox {
  const inbox = new Inbox(em, 'referrals-customers', logger);
  for (const fact of [CustomerCreated, CustomerUpdated, CustomerDeleted])
    inbox.on(fact, async (tx, state, event) => {
      const teamId = event.teamId as TeamId; // facts carry the id of the team whose service recorded them
      const { projectId, id, deletedAt } = state;
      await keepCustomer(tx, teamId, state);
      if (deletedAt) await deactivateCodeOf(tx, { teamId, projectId }, id, clock());
    });
  return inbox;
}
