import type { EntityManager } from '@mikro-orm/postgresql';
import { CustomerCreated, CustomerDeleted, CustomerUpdated } from '@billing/contracts/events/customers';
import { record } from '@billing/messaging/outbox';
import { isSameContent, stateOf, type CustomerContent } from '#domain/customer.ts';
import type { LinkedCustomer } from '#persistence/customer.entity.ts';
import { releaseEmails, takeEmail } from './reserve-email.ts';

/** Tells that a customer has come into being. */
export function recordCreated(tx: EntityManager, customer: LinkedCustomer): void {
  record(tx, CustomerCreated, customer.teamId, stateOf(customer));
}

/**
 * Takes over what the processor holds of a customer, and tells of it if that is anything new; answers whether it was.
 * An e-mail that another customer of the project has is left out: e-mails are unique here, at the processor not.
 */
export async function takeOver(tx: EntityManager, customer: LinkedCustomer, told: CustomerContent): Promise<boolean> {
  const isFree = await takeEmail(tx, customer, customer.id, told.email);
  const content = isFree ? told : { ...told, email: customer.email };
  await releaseEmails(tx, customer, customer.id, content.email);
  if (isSameContent(customer, content)) return false;
  tx.assign(customer, { ...content, updatedAt: new Date(), version: customer.version + 1 });
  record(tx, CustomerUpdated, customer.teamId, stateOf(customer));
  return true;
}

/** Removes a customer for good; its row stays as a tombstone, and its e-mail is free again. */
export async function remove(tx: EntityManager, customer: LinkedCustomer, deletedAt: Date): Promise<void> {
  tx.assign(customer, { deletedAt, updatedAt: deletedAt, version: customer.version + 1 });
  await releaseEmails(tx, customer, customer.id, null);
  record(tx, CustomerDeleted, customer.teamId, stateOf(customer));
}
