import { defineEntity, p } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectId, TeamId } from '@billing/contracts/ids';

const KnownCustomerSchema = defineEntity({
  name: 'KnownCustomer',
  tableName: 'known_customers',
  indexes: [{ name: 'known_customers_processor_id', properties: ['teamId', 'projectId', 'processorCustomerId'] }],
  properties: {
    id: p.text().$type<CustomerId>().primary(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().$type<ProjectId>(),
    processorCustomerId: p.text(),
    version: p.integer(),
    createdAt: p.datetime(),
    deletedAt: p.datetime().nullable(),
    /** The processor's time of the newest setup session whose payment method was taken over. */
    paymentMethodAsOf: p.datetime().nullable(),
  },
});

/** Our copy of a customer, as far as we need it; the customers service owns the original. */
export class KnownCustomer extends KnownCustomerSchema.class {}
KnownCustomerSchema.setClass(KnownCustomer);
