import type { CustomerState } from '@billing/contracts/events/customers';
import type { CustomerId, ProjectId, ProjectScope } from '@billing/contracts/ids';
import { conflict, type Problem } from '@billing/contracts/problem';
import { replacement, sameMetadata, withoutEmpty, withoutRouting } from '@billing/processor/metadata';
import type { LiveCustomerSnapshot } from '@billing/processor/port';

/** What we and the processor both hold of a customer. */
export interface CustomerContent {
  readonly email: string;
  readonly name: string | null;
  /** Without routing keys. */
  readonly metadata: Record<string, string>;
}

/** What a caller may change; metadata replaces what there was. */
export interface CustomerChanges {
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** Whether a customer of the processor may be marked as this project's: it names this project, or none. */
export function isOurs({ metadata }: LiveCustomerSnapshot, { teamId, projectId }: ProjectScope): boolean {
  return (metadata['projectId'] ?? projectId) === projectId && (metadata['teamId'] ?? teamId) === teamId;
}

/**
 * The processor's customer as we keep it. One that another project marked as its own lends us its e-mail and name;
 * the metadata there is that project's, and ours stays as it is here.
 */
export function contentOf(
  snapshot: LiveCustomerSnapshot,
  scope: ProjectScope,
  current: CustomerContent,
): CustomerContent {
  return {
    email: snapshot.email?.trim().toLowerCase() || current.email,
    name: snapshot.name || null,
    metadata: isOurs(snapshot, scope) ? withoutRouting(snapshot.metadata) : current.metadata,
  };
}

/** Whether two tell the same. */
export function isSameContent(one: CustomerContent, other: CustomerContent): boolean {
  return one.email === other.email && one.name === other.name && sameMetadata(one.metadata, other.metadata);
}

/** What marks a customer at the processor as ours, and routes its events. */
export const routingOf = ({ teamId, projectId }: ProjectScope, customerId: CustomerId) => ({
  teamId,
  projectId,
  customerId,
});

/**
 * Which of the processor's customers with the same e-mail a new one is linked to: the one made for it already, one
 * that names this project, one that names none, the oldest; undefined when there is none.
 */
export function chooseExisting(
  candidates: readonly LiveCustomerSnapshot[],
  scope: ProjectScope,
  id: CustomerId,
): LiveCustomerSnapshot | undefined {
  const oldestFirst = candidates.toSorted(
    (a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1),
  );
  return (
    oldestFirst.find(({ metadata }) => metadata['customerId'] === id) ??
    oldestFirst.find(it => it.metadata['projectId'] !== undefined && isOurs(it, scope)) ??
    oldestFirst.find(it => isOurs(it, scope)) ??
    oldestFirst[0]
  );
}

/** A caller's changes as the processor is to be told them. */
export function changesAtProcessor(
  current: CustomerContent,
  { metadata, ...changes }: CustomerChanges,
): CustomerChanges {
  return metadata ? { ...changes, metadata: replacement(current.metadata, withoutEmpty(metadata)) } : changes;
}

/** 409: another customer of the project has the address. */
export function emailTaken(): Problem {
  return conflict('customer_email_taken', 'Another customer of this project has this e-mail.');
}

interface CustomerRecord {
  readonly id: CustomerId;
  readonly projectId: ProjectId;
  readonly email: string;
  readonly name: string | null;
  readonly processorCustomerId: string;
  readonly version: number;
  readonly createdAt: Date;
  readonly deletedAt: Date | null;
}

/** A customer as the other services are told of it. */
export function stateOf(customer: CustomerRecord): CustomerState {
  const { id, projectId, email, name, processorCustomerId, version, createdAt, deletedAt } = customer;
  return { id, projectId, email, name, processorCustomerId, version, createdAt, deletedAt };
}
