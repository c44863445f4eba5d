import type { Operation } from '@billing/contracts/operation';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { auditOf } from '@billing/service/audit';
import type { FastifyRequest } from 'fastify';
import type { Visitor } from '#operations/admit-visitor.ts';

/** Returns who makes a write with a portal link, for the audit log: its customer. */
export const customerAuditOf = (
  request: FastifyRequest,
  operation: Operation,
  { customerId, scope }: Visitor,
  operationKey?: string,
): AuditContext => ({
  ...auditOf(request, operation, operationKey),
  actor: { type: 'customer', id: customerId },
  projectId: scope.projectId,
});
