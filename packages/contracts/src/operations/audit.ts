import { z } from 'zod';
import { exampleAuditEntry } from '../openapi/examples/gateway.ts';
import { examplePagination } from '../openapi/examples/shared.ts';
import { ProjectId } from '../ids.ts';
import { operation, TEAM_PATH, teamParams } from '../operation.ts';
import { pageQuery, pagination } from '../pagination.ts';
import { auditEntry } from '../resources/audit-entry.ts';
import { text } from '../text.ts';

export const auditOperations = {
  listAuditLog: operation({
    id: 'listAuditLog',
    service: 'gateway',
    method: 'GET',
    path: `${TEAM_PATH}/audit-log`,
    access: { kind: 'team', role: 'owner' },
    summary: 'List who changed what in a team, newest first',
    params: teamParams,
    query: z.strictObject({
      ...pageQuery,
      action: text(64).optional(),
      actor: text(128).optional(),
      projectId: ProjectId.schema.optional(),
    }),
    status: 200,
    response: z.object({ entries: z.array(auditEntry), pagination }),
    problems: [],
    example: {
      query: { action: 'updateProject', limit: '50', offset: '0' },
      response: { entries: [exampleAuditEntry], pagination: examplePagination },
    },
  }),
};
