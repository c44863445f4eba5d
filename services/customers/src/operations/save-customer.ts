import type { EntityManager } from '@mikro-orm/postgresql';
import { CustomerCreated, CustomerDeleted, CustomerUpdated } from '@billing/contracts/events/customers';
import { customer as customerSchema } from '@billing/contracts/resources/customer';
import type { Publish } from '@billing/messaging/outbox';
import { publishResource, type Resource, type Source } from '@billing/service/publish-resource';
import { isSameContent, toState, type CustomerContent } from '#domain/customer.ts';
import { toResource, type LinkedCustomer } from '#persistence/customer.entity.ts';

/** When and why something changes; it happens now unless `at` is given. */
export interface Change extends Omit<Source, 'at'>, Partial<Pick<Source, 'at'>> {
  readonly now: Date;
}

/** Publishes that a customer was created. */
export function publishCreated(publish: Publish, customer: LinkedCustomer, change: Change): void {
  publish(CustomerCreated, customer.teamId, toState(customer), change.trace);
  publishForTenants(publish, customer, null, change);
}

/**
 * Saves what the processor has of a customer; publishes it and returns true if anything differs. The e-mail is the
 * customer's own already (`takeIdentifier`); the caller frees the old one (`releaseIdentifiers`).
 */
export function saveContent(
  tx: EntityManager,
  publish: Publish,
  customer: LinkedCustomer,
  { content, ...change }: { readonly content: CustomerContent } & Change,
): boolean {
  if (isSameContent(customer, content)) return false;
  const before = asJson(customer);
  // The balance is no field of the resource.
  const isShown = !isSameContent(customer, { ...content, balance: customer.balance });
  tx.assign(customer, { ...content, ...(isShown && { updatedAt: change.now }), version: customer.version + 1 });
  publish(CustomerUpdated, customer.teamId, toState(customer), change.trace);
  publishForTenants(publish, customer, before, change);
  return true;
}

/** Saves that a customer has got its e-mail, or lost it to another who has it at the processor, and publishes it. */
export function saveEmail(publish: Publish, customer: LinkedCustomer, email: string | null, change: Change): void {
  const before = asJson(customer);
  const wantedEmail = email === null ? customer.wantedEmail : null;
  Object.assign(customer, { email, wantedEmail, updatedAt: change.now, version: customer.version + 1 });
  publish(CustomerUpdated, customer.teamId, toState(customer));
  publishForTenants(publish, customer, before, change);
}

/**
 * Marks a customer as deleted, for good, since the earliest time that is known, and publishes that if it is news. The
 * caller frees what the customer had (`releaseIdentifiers`).
 */
export function saveDeleted(
  tx: EntityManager,
  publish: Publish,
  customer: LinkedCustomer,
  { now, at = now, ...change }: Change,
): void {
  // The processor's clock, in whole seconds, may be behind ours.
  const deletedAt = at < customer.createdAt ? customer.createdAt : at;
  if (customer.deletedAt && customer.deletedAt <= deletedAt) return;
  const isNews = !customer.deletedAt;
  tx.assign(customer, { deletedAt, updatedAt: now, version: customer.version + 1 });
  publish(CustomerDeleted, customer.teamId, toState(customer), change.trace);
  if (isNews) publishForTenants(publish, customer, asJson(customer), { ...change, now, at: deletedAt });
}

/** Publishes a change as an event for tenants. */
function publishForTenants(
  publish: Publish,
  customer: LinkedCustomer,
  before: Resource | null,
  { now, at = now, ...source }: Change,
): void {
  const object = { type: 'customer', id: customer.id } as const;
  const isDeleted = customer.deletedAt !== null;
  publishResource(publish, customer, { ...source, at, object, before, after: asJson(customer), isDeleted });
}

/** A customer as events for tenants have it: one that is deleted without its personal data. */
function asJson(customer: LinkedCustomer): Resource {
  const resource = toResource(customer);
  const { name: _name, externalId: _externalId, ...rest } = resource;
  return customerSchema.encode(customer.deletedAt ? { ...rest, email: null, metadata: {} } : resource);
}
