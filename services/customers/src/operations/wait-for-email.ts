import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { unavailable } from '@billing/contracts/problem';
import { isMissing } from '@billing/processor/errors';
import type { TeamProcessors } from '@billing/processor/team-processors';
import { Customer, isLinked, type LinkedCustomer } from '#persistence/customer.entity.ts';
import { findHolder } from './reserve-email.ts';

/** For longer after an event its e-mail is not waited for: the other news may be lost, or wait for this one. */
const LONGEST_WAIT_MS = 5 * 60_000;

/**
 * Lets an event wait whose e-mail another customer has here and has left at the processor already: that news is on its
 * way, and only after it the e-mail is free. So an address that is handed on ends with the same customer in any order.
 * @throws Problem `unavailable` while it is waited for
 */
export function waitForEmail(em: EntityManager, processors: TeamProcessors) {
  return async (scope: ProjectScope, customer: LinkedCustomer, email: string, saidAt: Date): Promise<void> => {
    if (email === customer.email || Date.now() - saidAt.getTime() > LONGEST_WAIT_MS) return;
    const { teamId, projectId } = scope;
    const id = await findHolder(em.fork(), scope, email);
    const holder = id && id !== customer.id ? await em.fork().findOne(Customer, { id, teamId, projectId }) : null;
    if (isLinked(holder) && (await hasLeft(holder, email)))
      throw unavailable('The e-mail is another customer’s, who has left it already.');
  };

  async function hasLeft({ teamId, processorCustomerId }: LinkedCustomer, email: string): Promise<boolean> {
    try {
      const there = await (await processors.of(teamId)).findCustomer(processorCustomerId);
      return there.deleted || (there.email ?? email).trim().toLowerCase() !== email;
    } catch (err) {
      if (isMissing(err)) return false;
      throw err;
    }
  }
}
