import type { Operation } from '@billing/contracts/operation';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { auditOf } from '@billing/service/audit';
import type { FastifyRequest } from 'fastify';
import type { Visitor } from '#operations/admit-visitor.ts';

/** Returns who makes a write with a portal link, for the audit log: its customer. */
export const byCustomer = (audit: AuditContext, { customerId, scope }: Visitor): AuditContext => ({
  ...audit,
  actor: { type: 'customer', id: customerId },
  projectId: scope.projectId,
});

/** Returns the same for a form, which makes the same write as an operation of the API. */
export const customerAuditOf = (
  request: FastifyRequest,
  operation: Operation,
  visitor: Visitor,
  operationKey?: string,
): AuditContext => byCustomer(auditOf(request, operation, operationKey), visitor);
