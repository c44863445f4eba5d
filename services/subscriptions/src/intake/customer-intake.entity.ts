import { defineEntity, p } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectId, TeamId } from '@billing/contracts/ids';

const CustomerIntakeSchema = defineEntity({
  name: 'CustomerIntake',
  tableName: 'customer_intakes',
  indexes: [{ name: 'customer_intakes_due', properties: ['dueAt'], where: 'due_at is not null' }],
  properties: {
    customerId: p.text().$type<CustomerId>().primary(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().$type<ProjectId>(),
    processorCustomerId: p.text(),
    /** Leases so far. */
    attempts: p.integer(),
    /** When it needs work next; the end of the lease while one holds; null once it is complete. */
    dueAt: p.datetime().strictNullable(),
    /** Proves who works on it. */
    leaseId: p.uuid().strictNullable(),
    createdAt: p.datetime(),
  },
});

/** Whether the billing is taken in that the processor had of a customer before it was linked. */
export class CustomerIntake extends CustomerIntakeSchema.class {}
CustomerIntakeSchema.setClass(CustomerIntake);
