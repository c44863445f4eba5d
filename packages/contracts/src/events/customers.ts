import { z } from 'zod';
import { CustomerId, ProjectId } from '../ids.ts';
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
    version: _version,
    deletedAt,
    ...rest
  } = state;
  if (deletedAt) return { ...rest, email: null, metadata: {} };
  return { ...rest, ...(name !== null && { name }), ...(externalId !== null && { externalId }) };
}

export const CustomerCreated = defineRecordEvent('customer.created', customerState);
export const CustomerUpdated = defineRecordEvent('customer.updated', customerState);
export const CustomerDeleted = defineRecordEvent('customer.deleted', customerState);
