import { z } from 'zod';
import { CustomerId, ProjectId, TestClockId } from '../ids.ts';
import { storedMetadata } from '../metadata.ts';
import type { Customer } from '../resources/customer.ts';
import { customerBalance } from '../resources/customer-state.ts';
import { timestamp } from '../timestamp.ts';
import { version } from '../version.ts';
import { defineRecordEvent } from './record-event.ts';

/** A customer's whole state. A consumer ignores it unless `version` is higher than the one it has. */
export const customerState = z.object({
  id: CustomerId.schema,
  projectId: ProjectId.schema,
  /** Null when the processor has none. */
  email: z.string().nullable(),
  name: z.string().nullable(),
  externalId: z.string().nullable(),
  processorCustomerId: z.string(),
  metadata: storedMetadata,
  /** The processor may have had this customer before: it may have subscriptions and invoices from that time. */
  linkedToExisting: z.boolean().default(false),
  /** Null when the processor has none; a new one is no event for tenants. */
  balance: customerBalance.nullable(),
  /** The processor's id of the customer's discount; null without one. No event for tenants. */
  discountId: z.string().nullable().default(null),
  /** Where it is billed, and what time it is there; null in real time. A new time is no event for tenants. */
  testClock: z.object({ id: TestClockId.schema, now: timestamp }).nullable().default(null),
  version,
  createdAt: timestamp,
  updatedAt: timestamp,
  deletedAt: timestamp.nullable(),
});
export type CustomerState = z.output<typeof customerState>;

/** Returns a customer as its GET does; one that is deleted without personal data. */
export function customerOf(state: CustomerState): Customer {
  const {
    name,
    externalId,
    linkedToExisting: _linked,
    balance: _balance,
    discountId: _discount,
    testClock,
    version: _version,
    deletedAt,
    ...rest
  } = state;
  const shown = { ...rest, ...(testClock && { testClockId: testClock.id }) };
  if (deletedAt) return { ...shown, email: null, metadata: {} };
  return { ...shown, ...(name !== null && { name }), ...(externalId !== null && { externalId }) };
}

export const CustomerCreated = defineRecordEvent('customer.created', customerState);
export const CustomerUpdated = defineRecordEvent('customer.updated', customerState);
export const CustomerDeleted = defineRecordEvent('customer.deleted', customerState);
