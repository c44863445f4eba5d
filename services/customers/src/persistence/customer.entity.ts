import { defineEntity, p } from '@mikro-orm/core';
import type { CustomerId } from '@billing/contracts/ids';
import type { Customer as CustomerResource } from '@billing/contracts/resources/customer';
import type { CustomerBalance } from '@billing/contracts/resources/customer-state';
import { mirroredProperties, type Mirrored } from '@billing/service/mirrored-rows';

const CustomerSchema = defineEntity({
  name: 'Customer',
  tableName: 'customers',
  uniques: [
    {
      // One customer per project and processor customer; deleted ones do not count.
      name: 'customers_processor_id_unique',
      properties: ['teamId', 'projectId', 'processorId'],
      where: 'deleted_at is null',
    },
  ],
  indexes: [
    { name: 'customers_newest', properties: ['teamId', 'projectId', 'createdAt', 'id'] },
    { name: 'customers_by_processor_id', properties: ['teamId', 'processorId'] },
    {
      name: 'customers_by_wanted_email',
      properties: ['teamId', 'projectId', 'wantedEmail'],
      where: 'wanted_email is not null',
    },
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
    updatedAt: p.datetime(),
  },
});

export class Customer extends CustomerSchema.class {}
CustomerSchema.setClass(Customer);

/** A customer that exists at the processor too. */
export type LinkedCustomer = Mirrored<Customer>;

/** Returns a customer as callers see it. */
export function toResource(customer: LinkedCustomer): CustomerResource {
  const { id, email, name, externalId, processorId, metadata, projectId, createdAt, updatedAt } = customer;
  return {
    id,
    email,
    ...(name !== null && { name }),
    ...(externalId !== null && { externalId }),
    processorCustomerId: processorId,
    metadata,
    projectId,
    createdAt,
    updatedAt,
  };
}
