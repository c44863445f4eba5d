import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { sameMetadata, withoutEmpty } from '@billing/processor/metadata';
import type { Journal } from '@billing/processor/journal/write-journal';
import { Customer, type LinkedCustomer } from '#persistence/customer.entity.ts';
import { findCustomer } from './find-customer.ts';
import { findHolder } from './reserve-email.ts';

interface Asked {
  readonly email: string;
  readonly name?: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Finishes the creation that holds the e-mail, if it was left behind; answers its customer if that is just what is
 * asked for now, as when a caller tries again after an answer that never came.
 * @throws Problem `unavailable` when it still can't be finished
 */
export async function finishAbandoned(
  em: EntityManager,
  journal: Journal,
  scope: ProjectScope,
  { email, name = '', metadata }: Asked,
): Promise<LinkedCustomer | null> {
  const { teamId, projectId } = scope;
  const id = await findHolder(em.fork(), scope, email);
  const reserved = id && (await em.fork().findOne(Customer, { id, teamId, projectId, processorCustomerId: null }));
  if (!reserved || !(await journal.resume(reserved.id))) return null;
  const isAsked = (reserved.name ?? '') === name && sameMetadata(reserved.metadata, withoutEmpty(metadata));
  return isAsked ? findCustomer(em.fork(), scope, reserved.id) : null;
}
