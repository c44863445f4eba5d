import { customerOf, customerState, type CustomerState } from '@billing/contracts/events/customers';
import { fieldsOf } from '@billing/contracts/fields-of';
import type { CustomerId, ProjectScope, TestClockId } from '@billing/contracts/ids';
import { EXTERNAL_ID_KEY } from '@billing/contracts/metadata';
import { conflict, type Problem } from '@billing/contracts/problem';
import type { Customer } from '@billing/contracts/resources/customer';
import type { CustomerBalance } from '@billing/contracts/resources/customer-state';
import { canonicalEmail } from '@billing/contracts/text';
import {
  namedProject,
  namedTeam,
  replacement,
  sameMetadata,
  withoutEmpty,
  withoutRouting,
} from '@billing/processor/metadata';
import type { LiveCustomerSnapshot } from '@billing/processor/port';
import { billingOf, isSameBilling, type BillingContent } from './billing.ts';

/** What the audit log names without its values; tenants put e-mail addresses into external ids too. */
export const PERSONAL_FIELDS = ['email', 'name', 'externalId', 'metadata'];

/** The fields of a customer that we and the processor both store. */
export interface CustomerContent extends BillingContent {
  /** Null when the processor has none. */
  readonly email: string | null;
  readonly name: string | null;
  /** The processor has a copy of it in the metadata, which is never read back. */
  readonly externalId: string | null;
  /** Without the keys that this service sets. */
  readonly metadata: Record<string, string>;
  /** Only the processor changes it, and the discount. */
  readonly balance: CustomerBalance | null;
  /** The processor's id. */
  readonly discountId: string | null;
}

/** What a caller may change; null clears a field, metadata is replaced. */
export interface CustomerChanges {
  readonly email?: string | undefined;
  readonly name?: string | null | undefined;
  readonly externalId?: string | null | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** Returns whether a customer of the processor may be marked as this project's: it names this project, or none. */
export function isOurs({ metadata }: LiveCustomerSnapshot, { teamId, projectId }: ProjectScope): boolean {
  return (namedProject(metadata) ?? projectId) === projectId && (namedTeam(metadata) ?? teamId) === teamId;
}

/**
 * Returns the processor's customer as we store it. From one that another project marked as its own we take only e-mail
 * and name: the metadata there is that project's, and ours stays as it is here. `readAt` is as for billing details.
 */
export function toContent(
  snapshot: LiveCustomerSnapshot,
  scope: ProjectScope,
  current: Omit<CustomerContent, 'balance' | 'discountId'>,
  readAt?: Date,
): CustomerContent {
  return {
    email: canonicalEmail(snapshot.email ?? '') || current.email,
    name: snapshot.name?.normalize('NFC') || null,
    externalId: current.externalId,
    metadata: isOurs(snapshot, scope) ? withoutOwnKeys(snapshot.metadata) : current.metadata,
    balance: snapshot.balance,
    discountId: snapshot.discountId,
    ...billingOf(snapshot, current, readAt?.getTime()),
  };
}

/** Returns a record as the processor last had it: another customer may hold its e-mail here. */
export const atProcessor = ({
  email,
  wantedEmail,
  name,
  externalId,
  metadata,
  balance,
  discountId,
  billing,
  taxIds,
  taxLocation,
}: CustomerContent & { readonly wantedEmail: string | null }): CustomerContent => ({
  email: wantedEmail ?? email,
  name,
  externalId,
  metadata,
  balance,
  discountId,
  billing,
  taxIds,
  taxLocation,
});

function withoutOwnKeys(metadata: Readonly<Record<string, string>>): Record<string, string> {
  const { [EXTERNAL_ID_KEY]: _copy, ...rest } = withoutRouting(metadata);
  return rest;
}

/** Returns whether two contents are equal. */
export function isSameContent(one: CustomerContent, other: CustomerContent): boolean {
  const areFieldsSame = one.email === other.email && one.name === other.name && one.externalId === other.externalId;
  const isBalanceSame =
    one.balance?.credit === other.balance?.credit && one.balance?.currency === other.balance?.currency;
  const isDiscountSame = one.discountId === other.discountId;
  const isRestSame = isDiscountSame && isSameBilling(one, other);
  return areFieldsSame && isBalanceSame && isRestSame && sameMetadata(one.metadata, other.metadata);
}

/** Returns the metadata that marks a customer at the processor as ours and routes its events, with its external id. */
export const ownMetadata = (
  { teamId, projectId }: ProjectScope,
  { id: customerId, externalId }: { readonly id: CustomerId; readonly externalId: string | null },
): Record<string, string> => ({
  teamId,
  projectId,
  customerId,
  ...(externalId !== null && { [EXTERNAL_ID_KEY]: externalId }),
});

/**
 * Returns which of the processor's customers with the same e-mail a new one may be linked to, the oldest first: the one
 * that was created for it already, else all that name this project, else all that name none, else the oldest. Of several,
 * the first with a live subscription is to be taken, or else the first.
 */
export function preferredCustomers(
  candidates: readonly LiveCustomerSnapshot[],
  scope: ProjectScope,
  id: CustomerId,
): readonly LiveCustomerSnapshot[] {
  const oldestFirst = candidates.toSorted(
    (a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1),
  );
  const ours = oldestFirst.filter(it => isOurs(it, scope));
  const classes = [
    oldestFirst.filter(({ metadata }) => metadata['customerId'] === id),
    ours.filter(({ metadata }) => namedProject(metadata) !== undefined),
    ours,
    oldestFirst.slice(0, 1),
  ];
  return classes.find(({ length }) => length > 0) ?? [];
}

/** What the processor is sent: an empty name is removed, and so is a key of the metadata with an empty value. */
interface ProcessorChanges {
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** Returns a caller's changes as they are sent to the processor. */
export function toProcessorChanges(
  current: Pick<CustomerContent, 'metadata'>,
  { email, name, externalId, metadata }: CustomerChanges,
): ProcessorChanges {
  const replaced = metadata && replacement(current.metadata, withoutEmpty(metadata));
  const copied = externalId === undefined ? undefined : { [EXTERNAL_ID_KEY]: externalId ?? '' };
  return {
    ...(email !== undefined && { email }),
    ...(name !== undefined && { name: name ?? '' }),
    ...((replaced ?? copied) && { metadata: { ...replaced, ...copied } }),
  };
}

/** Returns changes without the copy of the external id, which is a mark: the same when they have none, undefined when it is all. */
export function withoutExternalId(changes: ProcessorChanges): ProcessorChanges | undefined {
  const { metadata, ...fields } = changes;
  if (metadata?.[EXTERNAL_ID_KEY] === undefined) return changes;
  const { [EXTERNAL_ID_KEY]: _copy, ...keys } = metadata;
  if (Object.keys(keys).length > 0) return { ...fields, metadata: keys };
  return Object.keys(fields).length > 0 ? fields : undefined;
}

/** 409: another customer of the project has the e-mail. */
export function emailTaken(): Problem {
  return conflict('customer_email_taken', 'Another customer of this project has this e-mail.');
}

/** 409: another customer of the project has the external id. */
export function externalIdTaken(): Problem {
  return conflict('customer_external_id_taken', 'Another customer of this project has this external id.');
}

interface CustomerRecord extends Omit<CustomerState, 'processorCustomerId' | 'testClock'> {
  readonly processorId: string;
  readonly testClockId: TestClockId | null;
  readonly testClockNow: Date | null;
}

/** Returns a customer as events and RPC replies carry it. */
export const toState = ({
  processorId: processorCustomerId,
  testClockId: id,
  testClockNow: now,
  ...customer
}: CustomerRecord): CustomerState =>
  fieldsOf(customerState, { ...customer, processorCustomerId, testClock: id && now && { id, now } });

/** Returns a customer as callers see it. */
export const toResource = (customer: CustomerRecord): Customer => customerOf(toState(customer));
