import { defineEntity, p } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId } from '@billing/contracts/ids';

const KnownProjectSchema = defineEntity({
  name: 'KnownProject',
  tableName: 'known_projects',
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    projectId: p.text().$type<ProjectId>().primary(),
  },
});

/** Our copy of which projects a team has; the gateway owns the original, and a project never moves. */
export class KnownProject extends KnownProjectSchema.class {}
KnownProjectSchema.setClass(KnownProject);
