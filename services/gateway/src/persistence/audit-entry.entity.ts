import { defineEntity, p } from '@mikro-orm/postgresql';
import type { AuditEntryId, ProjectId, TeamId } from '@billing/contracts/ids';
import type { AUDIT_ACTOR_TYPES, AuditChange, AuditTargetType } from '@billing/contracts/resources/audit-entry';

const AuditEntryRowSchema = defineEntity({
  name: 'AuditEntryRow',
  tableName: 'audit_entries',
  indexes: [{ name: 'audit_entries_team_id_index', properties: ['teamId', 'at', 'id'] }],
  triggers: [
    {
      name: 'audit_entries_append_only',
      timing: 'before',
      events: ['update', 'delete', 'truncate'],
      forEach: 'statement',
      expression: 'execute function refuse_audit_change()',
    },
  ],
  properties: {
    id: p.text().primary().$type<AuditEntryId>(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().strictNullable().$type<ProjectId | null>(),
    at: p.datetime(),
    actorType: p.text().$type<(typeof AUDIT_ACTOR_TYPES)[number]>(),
    actorId: p.text().strictNullable(),
    action: p.text(),
    targetType: p.text().strictNullable().$type<AuditTargetType | null>(),
    targetId: p.text().strictNullable(),
    requestId: p.text(),
    address: p.text().strictNullable(),
    outcome: p.enum(['succeeded', 'refused']),
    changes: p.json<AuditChange[]>(),
  },
});

/** An entry of a team's audit log; it is never changed or deleted. */
export class AuditEntryRow extends AuditEntryRowSchema.class {}
AuditEntryRowSchema.setClass(AuditEntryRow);
