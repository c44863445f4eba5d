import { z } from 'zod';
import { declareOperations } from '../declare-operations.ts';
import { ProjectId } from '../ids.ts';
import { TEAM_PATH } from '../operation.ts';
import { createdQuery, longListQuery, pagination } from '../pagination.ts';
import { listedAuditEntry } from '../resources/audit-entry.ts';
import { text } from '../text.ts';

export const auditOperations = declareOperations('gateway', {
  listAuditLog: {
    route: `GET ${TEAM_PATH}/audit-log`,
    access: { kind: 'team', role: 'owner' },
    summary: 'List who changed what in a team, newest first',
    query: z.strictObject({
      ...longListQuery,
      action: text(64).optional().describe('Only entries of this action, for example `connectProcessor`.'),
      actor: text(128).optional().describe('Only entries of the actor with this id.'),
      projectId: ProjectId.schema.optional().describe('Only entries of this project.'),
      createdAfter: createdQuery.createdAfter.describe('Only what happened at this time or later.'),
      createdBefore: createdQuery.createdBefore.describe('Only what happened before this time.'),
    }),
    response: z.object({ entries: z.array(listedAuditEntry), pagination }),
    example: { query: { action: 'updateProject', limit: '50', offset: '0' } },
  },
});
