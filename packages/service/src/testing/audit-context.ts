import { AuditEntryId } from '@billing/contracts/ids';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';

/** Who makes a write, for tests that call an operation without a request. */
export const testAuditContext = (): AuditContext => ({
  id: AuditEntryId.create(),
  actor: { type: 'user', id: 'user_test' },
  action: 'test',
  projectId: null,
  requestId: 'req_test',
  address: '192.0.2.1',
});
