import { defineEntity, p } from '@mikro-orm/core';
import type { CustomerId, TestClockId } from '@billing/contracts/ids';
import type { CustomerBalance } from '@billing/contracts/resources/customer-state';
import { searchIndex } from '@billing/database/containing';
import type { BillingSnapshot } from '@billing/processor/port';
import { mirroredProperties, uniqueProcessorId, type Mirrored } from '@billing/service/mirrored-rows';
import type { BillingContent, TaxIdRecord } from '#domain/billing.ts';

/** The columns that `search` looks into. */
export const SEARCHED_COLUMNS = ['email', 'name', 'external_id'] as const;

const CustomerSchema = defineEntity({
  name: 'Customer',
  tableName: 'customers',
  uniques: [uniqueProcessorId('customers')],
  indexes: [
    { name: 'customers_newest', properties: ['teamId', 'projectId', 'createdAt', 'id'] },
    { name: 'customers_by_processor_id', properties: ['teamId', 'processorId'] },
    {
      name: 'customers_by_wanted_email',
      properties: ['teamId', 'projectId', 'wantedEmail'],
      where: 'wanted_email is not null',
    },
    { name: 'customers_on_test_clock', properties: ['testClockId'], where: 'test_clock_id is not null' },
    searchIndex('customers_search', 'customers', SEARCHED_COLUMNS),
  ],
  properties: {
    id: p.text().primary().$type<CustomerId>(),
    ...mirroredProperties(),
    /** Trimmed and lower-cased; null when the processor has none. */
    email: p.text().strictNullable(),
    /** What the processor has, while another customer of the project holds it; else null. */
    wantedEmail: p.text().strictNullable(),
    name: p.text().strictNullable(),
    /** The caller's own id of the customer. */
    externalId: p.text().strictNullable(),
    /** Linked to a customer that the processor may have had before: its billing there is to be read. */
    linkedToExisting: p.boolean(),
    /** At the processor; null when it has none. */
    balance: p.json<CustomerBalance>().strictNullable(),
    /** The processor's id of the discount that the customer has there. */
    discountId: p.text().strictNullable(),
    /** The test clock that it lives on, and what time it is there; null in real time. */
    testClockId: p.text().$type<TestClockId>().strictNullable(),
    testClockNow: p.datetime().strictNullable(),
    /** As the processor has it; null until it was seen. */
    billing: p.json<BillingSnapshot>().strictNullable(),
    taxIds: p.json<readonly TaxIdRecord[]>().strictNullable(),
    taxLocation: p.text().$type<BillingContent['taxLocation']>(),
    /** The names of the invoice fields that were made here. */
    ownInvoiceFields: p.json<readonly string[]>(),
    /** Of the last event about the billing details. */
    billingSequence: p.integer(),
    billingUpdatedAt: p.datetime().strictNullable(),
    updatedAt: p.datetime(),
  },
});

export class Customer extends CustomerSchema.class {}
CustomerSchema.setClass(Customer);

/** A customer that exists at the processor too. */
export type LinkedCustomer = Mirrored<Customer>;
