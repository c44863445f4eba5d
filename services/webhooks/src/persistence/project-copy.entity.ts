import { defineEntity, p } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId } from '@billing/contracts/ids';

const ProjectCopySchema = defineEntity({
  name: 'ProjectCopy',
  tableName: 'project_copies',
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    projectId: p.text().$type<ProjectId>().primary(),
  },
});

/** Which projects a team has: a copy of the gateway's. A project never moves to another team. */
export class ProjectCopy extends ProjectCopySchema.class {}
ProjectCopySchema.setClass(ProjectCopy);
