import type { EntityManager } from '@mikro-orm/postgresql';
import { CustomerCreated, CustomerDeleted, CustomerUpdated } from '@billing/contracts/events/customers';
import type { Publish } from '@billing/messaging/outbox';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';
import { isSameContent, toState, type CustomerContent } from '#domain/customer.ts';
import type { LinkedCustomer } from '#persistence/customer.entity.ts';

interface Change {
  readonly now: Date;
  /** Of the event that led to it; that of the request by default. */
  readonly trace?: TraceCarrier;
}

/** Publishes that a customer was created. */
export function publishCreated(publish: Publish, customer: LinkedCustomer): void {
  publish(CustomerCreated, customer.teamId, toState(customer));
}

/**
 * Saves what the processor has of a customer; publishes it and returns true if anything differs. The e-mail is the
 * customer's own already (`takeIdentifier`); the caller frees the old one (`releaseIdentifiers`).
 */
export function saveContent(
  tx: EntityManager,
  publish: Publish,
  customer: LinkedCustomer,
  { content, now, trace }: { readonly content: CustomerContent } & Change,
): boolean {
  if (isSameContent(customer, content)) return false;
  tx.assign(customer, { ...content, updatedAt: now, version: customer.version + 1 });
  publish(CustomerUpdated, customer.teamId, toState(customer), trace);
  return true;
}

/** Saves that a customer has got its e-mail, or lost it to another who has it at the processor, and publishes it. */
export function saveEmail(publish: Publish, customer: LinkedCustomer, email: string | null, now: Date): void {
  const wantedEmail = email === null ? customer.wantedEmail : null;
  Object.assign(customer, { email, wantedEmail, updatedAt: now, version: customer.version + 1 });
  publish(CustomerUpdated, customer.teamId, toState(customer));
}

/**
 * Marks a customer as deleted, for good, since the earliest time that is known, and publishes that if it is news. The
 * caller frees what the customer had (`releaseIdentifiers`).
 */
export function saveDeleted(
  tx: EntityManager,
  publish: Publish,
  customer: LinkedCustomer,
  { now, trace, deletedAt = now }: Change & { readonly deletedAt?: Date },
): void {
  // The processor's clock, in whole seconds, may be behind ours.
  const since = deletedAt < customer.createdAt ? customer.createdAt : deletedAt;
  if (customer.deletedAt && customer.deletedAt <= since) return;
  tx.assign(customer, { deletedAt: since, updatedAt: now, version: customer.version + 1 });
  publish(CustomerDeleted, customer.teamId, toState(customer), trace);
}
