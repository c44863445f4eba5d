import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import type { Publish } from '@billing/messaging/outbox';
import { isMirrored } from '@billing/service/mirrored-rows';
import { claimEmail, passEmail, releaseIdentifiers, type ScopedEmail } from '#persistence/customer-identifiers.ts';
import { Customer, type LinkedCustomer } from '#persistence/customer.entity.ts';
import { saveEmail, type Change } from './save-customer.ts';

const LOCKED = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;

/**
 * Gives e-mails to the customers who have them at the processor and wait for them here, oldest first: each as soon as nobody
 * holds it any more, or only a customer who has another one at the processor. What the new owner had is given on in turn, so
 * that reassigned e-mails end alike in any order of events. A customer who loses an e-mail has none until its own is free.
 */
export async function settleEmails(
  tx: EntityManager,
  publish: Publish,
  emails: readonly ScopedEmail[],
  change: Change,
): Promise<void> {
  for (let open = emails; open.length > 0;) {
    const freed: ScopedEmail[] = [];
    for (const waiting of await findWaiting(tx, open)) {
      const { wantedEmail } = waiting;
      if (wantedEmail === null || !(await takeOver(tx, publish, waiting, wantedEmail, change))) continue;
      const { email: value, teamId, projectId } = waiting;
      saveEmail(publish, waiting, wantedEmail, change);
      if (value !== null) freed.push({ teamId, projectId, value });
      await releaseIdentifiers(tx, [waiting], ['email']);
    }
    open = freed;
  }
}

/** Finds the customers who wait for e-mails, locked, the oldest first. */
async function findWaiting(tx: EntityManager, emails: readonly ScopedEmail[]): Promise<LinkedCustomer[]> {
  const $or = emails.map(({ teamId, projectId, value }) => ({ teamId, projectId, wantedEmail: value }));
  await tx.flush();
  const where = { $or, deletedAt: null };
  const found = await tx.find(Customer, where, { orderBy: { createdAt: 'asc', id: 'asc' }, ...LOCKED });
  return found.filter(isMirrored);
}

/** Makes the e-mail the customer's own; false if another customer holds it who has it at the processor too. */
async function takeOver(
  tx: EntityManager,
  publish: Publish,
  customer: LinkedCustomer,
  email: string,
  change: Change,
): Promise<boolean> {
  const { teamId, projectId } = customer;
  const holderId = await claimEmail(tx, customer, customer.id, email);
  if (holderId === null) return true;
  const holder = await tx.findOne(Customer, { id: holderId, teamId, projectId, deletedAt: null }, LOCKED);
  if (!isMirrored(holder) || holder.email !== email || holder.wantedEmail === null) return false;
  saveEmail(publish, holder, null, change);
  await passEmail(tx, { teamId, projectId, value: email }, customer.id);
  return true;
}
