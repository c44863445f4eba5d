import { z } from 'zod';
import { defineEvent } from '../event.ts';
import { ApiKeyId, ProjectId } from '../ids.ts';
import { project } from '../resources/team.ts';

const projectState = project.extend({ version: z.int() });
export type ProjectState = z.output<typeof projectState>;

export const ProjectCreated = defineEvent('project.created.v1', projectState);
export const ProjectUpdated = defineEvent('project.updated.v1', projectState);

/** Every gateway forgets the key at once. */
export const ApiKeyRevoked = defineEvent(
  'api-key.revoked.v1',
  z.object({ keyId: ApiKeyId.schema, projectId: ProjectId.schema }),
);
