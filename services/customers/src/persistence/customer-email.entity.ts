import { defineEntity, p } from '@mikro-orm/core';
import type { CustomerId, ProjectId, TeamId } from '@billing/contracts/ids';

const CustomerEmailSchema = defineEntity({
  name: 'CustomerEmail',
  tableName: 'customer_emails',
  indexes: [{ name: 'customer_emails_by_customer', properties: ['customerId'] }],
  properties: {
    teamId: p.text().primary().$type<TeamId>(),
    projectId: p.text().primary().$type<ProjectId>(),
    email: p.text().primary(),
    customerId: p.text().$type<CustomerId>(),
  },
});

/**
 * An e-mail that a customer has, or is about to have: the primary key makes e-mails unique in a project, also while a
 * change is still under way at the processor.
 */
export class CustomerEmail extends CustomerEmailSchema.class {}
CustomerEmailSchema.setClass(CustomerEmail);
