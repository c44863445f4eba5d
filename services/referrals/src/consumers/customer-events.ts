import type { EntityManager } from '@mikro-orm/postgresql';
import { CustomerCreated, CustomerDeleted, CustomerUpdated } from '@billing/contracts/events/customers';
import type { TeamId } from '@billing/contracts/ids';
import { Inbox } from '@billing/messaging/inbox';
import type { Logger } from 'pino';
import { deactivateCodeOfCustomer } from '#operations/deactivate-code.ts';
import { saveCustomerCopy } from '#persistence/customer-copies.ts';

interface CustomerEventsDependencies {
  readonly em: EntityManager;
  readonly now: () => Date;
  readonly logger: Logger;
}

/** Saves copies of customers, and deactivates the code of a deleted customer. */
export function customerEvents({ em, now, logger }: CustomerEventsDependencies): Inbox {
  const inbox = new Inbox(em, 'referrals-customers', logger);
  for (const type of [CustomerCreated, CustomerUpdated, CustomerDeleted])
    inbox.on(type, async (tx, state, event) => {
      const teamId = event.teamId as TeamId; // the publishing service sets the id of its team
      const { projectId, id, deletedAt } = state;
      await saveCustomerCopy(tx, teamId, state);
      if (deletedAt) await deactivateCodeOfCustomer(tx, { teamId, projectId }, id, now());
    });
  return inbox;
}
