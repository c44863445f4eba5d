import { CustomerCreated, CustomerDeleted, CustomerUpdated } from '@billing/contracts/events/customers';
import { recordFilter } from '@billing/contracts/events/record-event';
import { consumer, type Consumer } from '@billing/messaging/consumer/consumer';
import { deactivateCodesOfCustomers } from '#operations/deactivate-code.ts';
import { saveCustomerCopies } from '#persistence/customer-copies.ts';

interface CustomerEventsDependencies {
  readonly now: () => Date;
}

/** Saves copies of customers, and deactivates the codes of deleted ones. */
export const customerEvents = ({ now }: CustomerEventsDependencies): Consumer =>
  consumer('referrals-customers', recordFilter('customer')).on(
    [CustomerCreated, CustomerUpdated, CustomerDeleted],
    async (tx, deliveries, publish) => {
      const customers = deliveries.map(({ teamId, data, trace }) => ({ ...data, teamId, trace }));
      await saveCustomerCopies(tx, customers);
      const deleted = customers.filter(({ deletedAt }) => deletedAt !== null);
      await deactivateCodesOfCustomers(tx, deleted, now(), publish);
    },
  );
