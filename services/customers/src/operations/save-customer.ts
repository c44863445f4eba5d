import type { EntityManager } from '@mikro-orm/postgresql';
import { CustomerCreated, CustomerDeleted, CustomerUpdated } from '@billing/contracts/events/customers';
import type { Publish } from '@billing/messaging/outbox';
import { isSameContent, toState, type CustomerContent } from '#domain/customer.ts';
import { releaseEmails, takeEmail } from '#persistence/customer-emails.ts';
import type { LinkedCustomer } from '#persistence/customer.entity.ts';

/** A transaction that can publish events. */
interface Transaction {
  readonly tx: EntityManager;
  readonly publish: Publish;
}

/** Publishes that a customer was created. */
export function publishCreated(publish: Publish, customer: LinkedCustomer): void {
  publish(CustomerCreated, customer.teamId, toState(customer));
}

/**
 * Saves what the processor has of a customer; publishes it and returns true if anything differs. An e-mail that another
 * customer of the project has is left out: e-mails are unique here, but not at the processor.
 */
export async function saveContent(
  { tx, publish }: Transaction,
  customer: LinkedCustomer,
  received: CustomerContent,
  updatedAt: Date,
): Promise<boolean> {
  const isFree = await takeEmail(tx, customer, customer.id, received.email);
  const content = isFree ? received : { ...received, email: customer.email };
  await releaseEmails(tx, customer, customer.id, content.email);
  if (isSameContent(customer, content)) return false;
  tx.assign(customer, { ...content, updatedAt, version: customer.version + 1 });
  publish(CustomerUpdated, customer.teamId, toState(customer));
  return true;
}

/** Marks a customer as deleted, for good, frees its e-mail and publishes that. */
export async function saveDeleted(
  { tx, publish }: Transaction,
  customer: LinkedCustomer,
  deletedAt: Date,
): Promise<void> {
  tx.assign(customer, { deletedAt, updatedAt: deletedAt, version: customer.version + 1 });
  await releaseEmails(tx, customer, customer.id, null);
  publish(CustomerDeleted, customer.teamId, toState(customer));
}
