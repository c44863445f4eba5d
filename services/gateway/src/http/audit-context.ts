import type { Operation } from '@billing/contracts/operation';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { auditOf } from '@billing/service/audit';
import type { Principal } from '@billing/service/identity-token';
import type { GatewayResponse } from './request-context.ts';

type Caller = Exclude<Principal, { kind: 'anonymous' }>;

/** Returns who calls an operation, and from where, for the audit log. */
export const auditContextOf = (
  operation: Operation,
  principal: Caller,
  { locals: { requestId, address } }: GatewayResponse,
  operationKey?: string,
): AuditContext => {
  const caller = address === '' ? null : { requestId, address };
  return auditOf({ principal, caller, id: requestId }, operation, operationKey);
};
