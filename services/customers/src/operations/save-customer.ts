import { isDeepStrictEqual } from 'node:util';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import {
  CustomerCreated,
  CustomerDeleted,
  CustomerUpdated,
  type CustomerState,
} from '@billing/contracts/events/customers';
import type { Publish } from '@billing/messaging/outbox';
import { saveRecord, type RecordKind, type Source } from '@billing/service/save-record';
import { BillingDetailsUpdated, type BillingDetailsState } from '@billing/contracts/events/billing-details';
import { isSameBilling, toDetails, UNSEEN_BILLING, type BillingContent } from '#domain/billing.ts';
import { isSameContent, toState, type CustomerContent } from '#domain/customer.ts';
import type { LinkedCustomer } from '#persistence/customer.entity.ts';
import type { TestClock } from '#test-clocks/test-clock.entity.ts';

/** When and why something changes; it happens now unless `at` is given. */
export interface Change extends Omit<Source, 'at'>, Partial<Pick<Source, 'at'>> {
  readonly now: Date;
}

const CUSTOMER: RecordKind<LinkedCustomer, CustomerState> = {
  object: 'customer',
  toState,
  eventOf: ({ deletedAt }, before) =>
    before === null ? CustomerCreated : deletedAt ? CustomerDeleted : CustomerUpdated,
};

/** Publishes that a customer was created. */
export function publishCreated(publish: Publish, customer: LinkedCustomer, { now, at = now, ...change }: Change): void {
  saveRecord(publish, CUSTOMER, customer, { before: null, now, at, ...change });
}

/**
 * Saves what the processor has of a customer; returns true if anything differs. The e-mail is the customer's own already
 * (`takeIdentifier`); the caller frees the old one (`releaseIdentifiers`).
 */
export function saveContent(
  tx: EntityManager,
  publish: Publish,
  customer: LinkedCustomer,
  { content, now, at = now, ...change }: { readonly content: CustomerContent } & Change,
): boolean {
  if (isSameContent(customer, content)) return false;
  const before = toState(customer);
  const { billing, taxIds, taxLocation, ...fields } = content;
  tx.assign(customer, fields);
  saveRecord(publish, CUSTOMER, customer, { before, now, at, ...change });
  saveBilling(publish, customer, { billing, taxIds, taxLocation }, { now, at, ...change });
  return true;
}

/** What events about billing details are made of: they count apart from those of the customer. */
interface DetailsRow extends ProjectScope {
  readonly customer: LinkedCustomer;
  readonly testClockId: LinkedCustomer['testClockId'];
  sequence: number;
  updatedAt: Date;
}

const DETAILS: RecordKind<DetailsRow, BillingDetailsState> = {
  object: 'customer_billing_details',
  toState: ({ customer, updatedAt }) => toDetails(customer, updatedAt),
  eventOf: () => BillingDetailsUpdated,
};

/** Saves the billing details that the processor has of a customer; returns true if anything differs. */
export function saveBilling(
  publish: Publish,
  customer: LinkedCustomer,
  content: BillingContent & { readonly ownInvoiceFields?: readonly string[] },
  { now, at = now, ...change }: Change,
): boolean {
  const { ownInvoiceFields = customer.ownInvoiceFields } = content;
  if (isSameBilling(customer, content) && isDeepStrictEqual(ownInvoiceFields, customer.ownInvoiceFields)) return false;
  const { teamId, projectId, testClockId, billingSequence: sequence, billingUpdatedAt, createdAt } = customer;
  const updatedAt = billingUpdatedAt ?? createdAt;
  const row: DetailsRow = { teamId, projectId, customer, testClockId, sequence, updatedAt };
  const before = DETAILS.toState(row);
  Object.assign(customer, { ...content, ownInvoiceFields });
  customer.version += 1;
  saveRecord(publish, DETAILS, row, { before, now, at, ...change });
  Object.assign(customer, { billingSequence: row.sequence, billingUpdatedAt: row.updatedAt });
  return true;
}

/** Saves what time it is for a customer on a test clock, if it is another one. */
export function saveTestClock(
  publish: Publish,
  customer: LinkedCustomer,
  { id: testClockId, time: testClockNow }: Pick<TestClock, 'id' | 'time'>,
  { now, at = now, ...change }: Change,
): void {
  if (customer.testClockId === testClockId && customer.testClockNow?.getTime() === testClockNow.getTime()) return;
  const before = toState(customer);
  Object.assign(customer, { testClockId, testClockNow });
  saveRecord(publish, CUSTOMER, customer, { before, now, at, ...change });
}

/** Saves that a customer has got its e-mail, or lost it to another who has it at the processor. */
export function saveEmail(
  publish: Publish,
  customer: LinkedCustomer,
  email: string | null,
  { now, at = now, ...change }: Change,
): void {
  const before = toState(customer);
  Object.assign(customer, { email, wantedEmail: email === null ? customer.wantedEmail : null });
  saveRecord(publish, CUSTOMER, customer, { before, now, at, ...change });
}

/**
 * Marks a customer as deleted, for good, since the earliest time that is known. The caller frees what the customer had
 * (`releaseIdentifiers`).
 */
export function saveDeleted(
  tx: EntityManager,
  publish: Publish,
  customer: LinkedCustomer,
  { now, at = now, ...change }: Change,
): void {
  // The processor's clock, in whole seconds, may be behind ours.
  const time = customer.testClockId ? now : at;
  const deletedAt = time < customer.createdAt ? customer.createdAt : time;
  if (customer.deletedAt && customer.deletedAt <= deletedAt) return;
  const isDeleted = !customer.deletedAt;
  const before = toState(customer);
  // What is known of a deleted customer says nothing about who it was.
  tx.assign(customer, { deletedAt, ...UNSEEN_BILLING, ownInvoiceFields: [] });
  saveRecord(publish, CUSTOMER, customer, { before, now, at: deletedAt, isDeleted, ...change });
}
