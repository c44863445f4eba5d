import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { unavailable } from '@billing/contracts/problem';
import { canonicalEmail } from '@billing/contracts/text';
import { isMissing } from '@billing/processor/errors';
import type { TeamProcessors } from '@billing/processor/team-processors';
import { isMirrored } from '@billing/service/mirrored-rows';
import { findOwner } from '#persistence/customer-identifiers.ts';
import { Customer, type LinkedCustomer } from '#persistence/customer.entity.ts';

/** An event waits no longer than this for its e-mail: the other event may be lost, or may itself wait for this one. */
const LONGEST_WAIT_MS = 5 * 60_000;

interface WaitForEmailOptions {
  readonly em: EntityManager;
  readonly processors: TeamProcessors;
  readonly now: () => Date;
}

/**
 * Delays an event whose e-mail still belongs to another customer here, if that customer no longer has it at the
 * processor: the event about that is on its way and frees the e-mail. So a reassigned e-mail ends with the same customer
 * in any order of delivery.
 * @throws Problem `unavailable` while the event has to wait
 */
export function waitForEmail({ em, processors, now }: WaitForEmailOptions) {
  return async (scope: ProjectScope, customer: LinkedCustomer, email: string | null, eventAt: Date): Promise<void> => {
    if (email === null || email === customer.email || now().getTime() - eventAt.getTime() > LONGEST_WAIT_MS) return;
    const { teamId, projectId } = scope;
    const id = await findOwner(em.fork(), scope, { kind: 'email', value: email });
    const owner = id && id !== customer.id ? await em.fork().findOne(Customer, { id, teamId, projectId }) : null;
    if (isMirrored(owner) && (await hasGivenUp(owner, email)))
      throw unavailable('The e-mail belongs to another customer, who has a new one at the processor.');
  };

  async function hasGivenUp({ teamId, processorId }: LinkedCustomer, email: string): Promise<boolean> {
    try {
      const current = await (await processors.of(teamId)).findCustomer(processorId);
      return current.deleted || canonicalEmail(current.email ?? email) !== email;
    } catch (err) {
      if (isMissing(err)) return false;
      throw err;
    }
  }
}
