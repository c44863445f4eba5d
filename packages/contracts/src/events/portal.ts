import { z } from 'zod';
import { fact } from '../fact.ts';
import { CustomerId, PortalSessionId, ProjectId } from '../ids.ts';
import { timestamp } from '../timestamp.ts';

export const PortalSessionCreated = fact(
  'portal-session.created.v1',
  z.object({
    sessionId: PortalSessionId.schema,
    projectId: ProjectId.schema,
    customerId: CustomerId.schema,
    expiresAt: timestamp,
  }),
);
