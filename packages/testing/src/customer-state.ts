import type { CustomerState } from '@billing/contracts/events/customers';
import { CustomerId, ProjectId } from '@billing/contracts/ids';

/** Returns a customer as its service publishes it, with these fields in place of those that are made up. */
export function customerState(fields: Partial<CustomerState> = {}): CustomerState {
  const now = new Date();
  return {
    id: CustomerId.create(),
    projectId: ProjectId.create(),
    email: 'ada@example.com',
    name: null,
    processorCustomerId: 'cus_1',
    externalId: null,
    linkedToExisting: false,
    balance: null,
    discountId: null,
    testClock: null,
    metadata: {},
    version: 1,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
    ...fields,
  };
}
