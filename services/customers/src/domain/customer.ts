import type { CustomerState } from '@billing/contracts/events/customers';
import type { CustomerId, ProjectId, ProjectScope } from '@billing/contracts/ids';
import { conflict, type Problem } from '@billing/contracts/problem';
import { replacement, sameMetadata, withoutEmpty, withoutRouting } from '@billing/processor/metadata';
import type { LiveCustomerSnapshot } from '@billing/processor/port';

/** The fields of a customer that we and the processor both store. */
export interface CustomerContent {
  readonly email: string;
  readonly name: string | null;
  /** Without routing keys. */
  readonly metadata: Record<string, string>;
}

/** What a caller may change; metadata is replaced. */
export interface CustomerChanges {
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** Returns whether a customer of the processor may be marked as this project's: it names this project, or none. */
export function isOurs({ metadata }: LiveCustomerSnapshot, { teamId, projectId }: ProjectScope): boolean {
  return (metadata['projectId'] ?? projectId) === projectId && (metadata['teamId'] ?? teamId) === teamId;
}

/**
 * Returns the processor's customer as we store it. From one that another project marked as its own we take only e-mail
 * and name: the metadata there is that project's, and ours stays as it is here.
 */
export function toContent(
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

/** Returns whether two contents are equal. */
export function isSameContent(one: CustomerContent, other: CustomerContent): boolean {
  return one.email === other.email && one.name === other.name && sameMetadata(one.metadata, other.metadata);
}

/** Returns the metadata that marks a customer at the processor as ours and routes its events. */
export const routingMetadata = ({ teamId, projectId }: ProjectScope, customerId: CustomerId) => ({
  teamId,
  projectId,
  customerId,
});

/**
 * Chooses which of the processor's customers with the same e-mail a new one is linked to: the one that was created for
 * it already, one that names this project, one that names none, the oldest; undefined when there is none.
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

/** Returns a caller's changes as they are sent to the processor. */
export function toProcessorChanges(
  current: CustomerContent,
  { metadata, ...changes }: CustomerChanges,
): CustomerChanges {
  return metadata ? { ...changes, metadata: replacement(current.metadata, withoutEmpty(metadata)) } : changes;
}

/** 409: another customer of the project has the e-mail. */
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

/** Returns a customer as events and RPC replies carry it. */
export function toState(customer: CustomerRecord): CustomerState {
  const { id, projectId, email, name, processorCustomerId, version, createdAt, deletedAt } = customer;
  return { id, projectId, email, name, processorCustomerId, version, createdAt, deletedAt };
}
