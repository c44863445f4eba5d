import { z } from 'zod';
import { defineEvent } from '../event.ts';
import { CustomerId, ProjectId } from '../ids.ts';
import { customerBalance } from '../resources/customer-state.ts';
import { timestamp } from '../timestamp.ts';
import { version } from '../version.ts';

/** A customer's whole state. A consumer ignores it unless `version` is higher than the one it has. */
export const customerState = z.object({
  id: CustomerId.schema,
  projectId: ProjectId.schema,
  /** Null when the processor has none. */
  email: z.string().nullable(),
  name: z.string().nullable(),
  externalId: z.string().nullable(),
  processorCustomerId: z.string(),
  /** The processor may have had this customer before: it may have subscriptions and invoices from that time. */
  linkedToExisting: z.boolean().default(false),
  /** Null when the processor has none; a new one is no event for tenants. */
  balance: customerBalance.nullable(),
  version,
  createdAt: timestamp,
  deletedAt: timestamp.nullable(),
});
export type CustomerState = z.output<typeof customerState>;

export const CustomerCreated = defineEvent('customer.created.v1', customerState);
export const CustomerUpdated = defineEvent('customer.updated.v1', customerState);
export const CustomerDeleted = defineEvent('customer.deleted.v1', customerState);
