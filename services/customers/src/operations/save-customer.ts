import type { EntityManager } from '@mikro-orm/postgresql';
import { CustomerCreated, CustomerDeleted, CustomerUpdated } from '@billing/contracts/events/customers';
import { customer as customerSchema } from '@billing/contracts/resources/customer';
import type { EventCause } from '@billing/contracts/resources/event';
import type { Publish } from '@billing/messaging/outbox';
import { publishResource, type Resource } from '@billing/service/publish-resource';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';
import { isSameContent, toState, type CustomerContent } from '#domain/customer.ts';
import { toResource, type LinkedCustomer } from '#persistence/customer.entity.ts';

/** When and why something changes. */
export interface Change {
  readonly now: Date;
  /** When it happened, for a processor's event its time; now unless given. */
  readonly at?: Date;
  readonly cause: EventCause;
  /** Of the event that led to it; that of the request by default. */
  readonly trace?: TraceCarrier;
}

/** Publishes that a customer was created. */
export function publishCreated(publish: Publish, customer: LinkedCustomer, change: Change): void {
  publish(CustomerCreated, customer.teamId, toState(customer), change.trace);
  tell(publish, customer, null, change);
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
  tx.assign(customer, { ...content, updatedAt: change.now, version: customer.version + 1 });
  publish(CustomerUpdated, customer.teamId, toState(customer), change.trace);
  tell(publish, customer, before, change);
  return true;
}

/** Saves that a customer has got its e-mail, or lost it to another who has it at the processor, and publishes it. */
export function saveEmail(publish: Publish, customer: LinkedCustomer, email: string | null, change: Change): void {
  const before = asJson(customer);
  const wantedEmail = email === null ? customer.wantedEmail : null;
  Object.assign(customer, { email, wantedEmail, updatedAt: change.now, version: customer.version + 1 });
  publish(CustomerUpdated, customer.teamId, toState(customer));
  tell(publish, customer, before, change);
}

/**
 * Marks a customer as deleted, for good, since the earliest time that is known, and publishes that if it is news. The
 * caller frees what the customer had (`releaseIdentifiers`).
 */
export function saveDeleted(
  tx: EntityManager,
  publish: Publish,
  customer: LinkedCustomer,
  { deletedAt, ...change }: Change & { readonly deletedAt?: Date },
): void {
  const { now, trace } = change;
  // The processor's clock, in whole seconds, may be behind ours.
  const since = deletedAt && deletedAt < customer.createdAt ? customer.createdAt : (deletedAt ?? now);
  if (customer.deletedAt && customer.deletedAt <= since) return;
  const isNews = !customer.deletedAt;
  tx.assign(customer, { deletedAt: since, updatedAt: now, version: customer.version + 1 });
  publish(CustomerDeleted, customer.teamId, toState(customer), trace);
  if (isNews)
    tell(publish, customer, withoutPersonalData(asJson(customer)), { ...change, at: since }, { isDeleted: true });
}

/** Tells tenants of a change. */
function tell(
  publish: Publish,
  customer: LinkedCustomer,
  before: Resource | null,
  { now, at = now, cause, trace }: Change,
  { isDeleted = false } = {},
): void {
  const object = { type: 'customer', id: customer.id } as const;
  const after = isDeleted ? withoutPersonalData(asJson(customer)) : asJson(customer);
  publishResource(publish, customer, { object, before, after, at, cause, isDeleted, trace });
}

const asJson = (customer: LinkedCustomer): Resource => customerSchema.encode(toResource(customer));

/** What is told of a customer that is deleted. */
const withoutPersonalData = ({ name: _name, externalId: _externalId, ...customer }: Resource): Resource => ({
  ...customer,
  email: null,
  metadata: {},
});
