import { defineEvent } from '../event.ts';
import { auditEntry } from '../resources/audit-entry.ts';

/** Recorded with the write; the gateway adds it to the team's audit log, once for each id. */
export const AuditRecorded = defineEvent('audit.recorded.v1', auditEntry);
