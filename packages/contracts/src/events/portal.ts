import { z } from 'zod';
import { defineEvent } from '../event.ts';
import { CustomerId, PortalSessionId, ProjectId } from '../ids.ts';
import { timestamp } from '../timestamp.ts';

export const PortalSessionCreated = defineEvent(
  'portal-session.created.v1',
  z.object({
    sessionId: PortalSessionId.schema,
    projectId: ProjectId.schema,
    customerId: CustomerId.schema,
    expiresAt: timestamp,
  }),
);
