import { defineEntity, p } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectId, TeamId, TestClockId } from '@billing/contracts/ids';
import type { BillingDetails } from '@billing/contracts/resources/billing-details';
import type { CustomerBalance } from '@billing/contracts/resources/customer-state';

const CustomerCopySchema = defineEntity({
  name: 'CustomerCopy',
  tableName: 'customer_copies',
  indexes: [
    { name: 'customer_copies_processor_id', properties: ['teamId', 'projectId', 'processorCustomerId'] },
    { name: 'customer_copies_on_test_clock', properties: ['teamId', 'projectId'], where: 'test_clock_id is not null' },
    { name: 'customer_copies_external_id', properties: ['teamId', 'projectId', 'externalId'] },
  ],
  properties: {
    id: p.text().$type<CustomerId>().primary(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().$type<ProjectId>(),
    processorCustomerId: p.text(),
    email: p.text().strictNullable(),
    externalId: p.text().strictNullable(),
    balance: p.json<CustomerBalance>().strictNullable(),
    /** The processor's id of a discount that the customer has, or had a moment ago. */
    discountId: p.text().strictNullable(),
    /** The test clock that the customer lives on, and what time it is there; null in real time. */
    testClockId: p.text().$type<TestClockId>().strictNullable(),
    testClockNow: p.datetime().strictNullable(),
    /** Of the newest state that an event or a reply showed. */
    version: p.integer(),
    createdAt: p.datetime(),
    deletedAt: p.datetime().strictNullable(),
    /** When the customer was deleted at the processor, which ends its subscriptions; by the processor's time. */
    processorDeletedAt: p.datetime().strictNullable(),
    /** The processor's time of the newest setup session whose payment method the customer's subscriptions use. */
    paymentMethodReplacedAt: p.datetime().strictNullable(),
  },
});

/** A copy of what this service needs of a customer; the customers service owns it. */
export class CustomerCopy extends CustomerCopySchema.class {}
CustomerCopySchema.setClass(CustomerCopy);

const TaxLocationSchema = defineEntity({
  name: 'TaxLocation',
  tableName: 'tax_locations',
  properties: {
    customerId: p.text().$type<CustomerId>().primary(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().$type<ProjectId>(),
    location: p.text().$type<BillingDetails['taxLocation']>(),
    /** Of the newest event about the customer's billing details. */
    sequence: p.integer(),
  },
});

/** Whether the processor recognizes where a customer is taxed; without a row no event has told. */
export class TaxLocation extends TaxLocationSchema.class {}
TaxLocationSchema.setClass(TaxLocation);
