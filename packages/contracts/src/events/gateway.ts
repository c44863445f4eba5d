import type { z } from 'zod';
import { defineEvent } from '../event.ts';
import { project } from '../resources/team.ts';
import { version } from '../version.ts';

const projectState = project.extend({ version });
export type ProjectState = z.output<typeof projectState>;

export const ProjectCreated = defineEvent('project.created.v1', projectState);
export const ProjectUpdated = defineEvent('project.updated.v1', projectState);
