import { defineEntity, p } from '@mikro-orm/core';
import type { CustomerId, ProjectId, TeamId } from '@billing/contracts/ids';

/** What belongs to one customer of a project only; transactions take e-mails before external ids. */
export const IDENTIFIER_KINDS = ['email', 'external-id'] as const;
export type IdentifierKind = (typeof IDENTIFIER_KINDS)[number];

const CustomerIdentifierSchema = defineEntity({
  name: 'CustomerIdentifier',
  tableName: 'customer_identifiers',
  indexes: [{ name: 'customer_identifiers_by_customer', properties: ['customerId'] }],
  properties: {
    teamId: p.text().primary().$type<TeamId>(),
    projectId: p.text().primary().$type<ProjectId>(),
    kind: p.text().primary().$type<IdentifierKind>(),
    value: p.text().primary(),
    customerId: p.text().$type<CustomerId>(),
  },
});

/**
 * An e-mail or external id that a customer has, or is about to have: the primary key makes it unique in a project, also
 * while a change is still under way at the processor.
 */
export class CustomerIdentifier extends CustomerIdentifierSchema.class {}
CustomerIdentifierSchema.setClass(CustomerIdentifier);
