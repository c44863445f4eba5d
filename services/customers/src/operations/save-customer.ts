import type { EntityManager } from '@mikro-orm/postgresql';
import { CustomerCreated, CustomerDeleted, CustomerUpdated } from '@billing/contracts/events/customers';
import type { Publish } from '@billing/messaging/outbox';
import { isSameContent, toState, type CustomerContent } from '#domain/customer.ts';
import type { LinkedCustomer } from '#persistence/customer.entity.ts';

/** Publishes that a customer was created. */
export function publishCreated(publish: Publish, customer: LinkedCustomer): void {
  publish(CustomerCreated, customer.teamId, toState(customer));
}

/**
 * Saves what the processor has of a customer; publishes it and returns true if anything differs. The e-mail is the
 * customer's own already (`takeEmail`); the caller frees the old one (`releaseEmails`).
 */
export function saveContent(
  tx: EntityManager,
  publish: Publish,
  customer: LinkedCustomer,
  { content, updatedAt }: { readonly content: CustomerContent; readonly updatedAt: Date },
): boolean {
  if (isSameContent(customer, content)) return false;
  tx.assign(customer, { ...content, updatedAt, version: customer.version + 1 });
  publish(CustomerUpdated, customer.teamId, toState(customer));
  return true;
}

/** Marks a customer as deleted, for good, and publishes that. The caller frees its e-mails (`releaseEmails`). */
export function saveDeleted(tx: EntityManager, publish: Publish, customer: LinkedCustomer, deletedAt: Date): void {
  tx.assign(customer, { deletedAt, updatedAt: deletedAt, version: customer.version + 1 });
  publish(CustomerDeleted, customer.teamId, toState(customer));
}
