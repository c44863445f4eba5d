import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { hasEnded } from '@billing/contracts/resources/subscription';
import type { LiveCustomerSnapshot, Processor, SubscriptionSnapshot } from '@billing/processor/port';
import { namedProject } from '@billing/processor/metadata';
import { preferredCustomers } from '#domain/customer.ts';
import { Customer } from '#persistence/customer.entity.ts';
import { findHeldElsewhere } from '#persistence/held-elsewhere.ts';

interface NewCustomer {
  readonly scope: ProjectScope;
  readonly id: CustomerId;
  /** Of its e-mail. */
  readonly spellings: readonly string[];
}

/**
 * Finds the processor's customer that a new one is to be linked to; undefined when there is none. One that names no project and
 * that another project holds is left to it.
 */
export async function findExisting(
  processor: Processor,
  em: EntityManager,
  { scope, id, spellings }: NewCustomer,
): Promise<LiveCustomerSnapshot | undefined> {
  const candidates = await listCandidates(processor, spellings);
  const ids = candidates.map(candidate => candidate.id);
  const linked = await findLinked(em, scope, ids);
  const held = await findHeldElsewhere(em, scope, ids);
  const isLeft = (it: LiveCustomerSnapshot) => held.has(it.id) && namedProject(it.metadata) === undefined;
  const free = candidates.filter(candidate => !linked.has(candidate.id) && !isLeft(candidate));
  const preferred = preferredCustomers(free, scope, id);
  if (preferred.length > 1)
    for (const candidate of preferred)
      if ((await processor.listSubscriptions(candidate.id)).some(isLive)) return candidate;
  return preferred[0];
}

/** Lists the processor's customers that have an e-mail in one of the spellings. */
export async function listCandidates(
  processor: Processor,
  spellings: readonly string[],
): Promise<LiveCustomerSnapshot[]> {
  const lists = await Promise.all([...new Set(spellings)].map(email => processor.listCustomersByEmail(email)));
  return [...new Map(lists.flat().map(candidate => [candidate.id, candidate])).values()];
}

const isLive = ({ status }: SubscriptionSnapshot): boolean => status === null || !hasEnded(status);

/** Returns those of the processor's customers that a live customer of the project is linked to. */
async function findLinked(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  processorIds: string[],
): Promise<ReadonlySet<string>> {
  const where = { teamId, projectId, deletedAt: null, processorId: { $in: processorIds } };
  const linked = await em.find(Customer, where);
  return new Set(linked.flatMap(customer => customer.processorId ?? []));
}
