import { defineEntity, p } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId } from '@billing/contracts/ids';

const ThingSchema = defineEntity({
  name: 'Thing',
  tableName: 'things',
  properties: {
    id: p.integer().primary(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().$type<ProjectId>(),
    name: p.text(),
  },
});

/** Something that belongs to a project. */
export class Thing extends ThingSchema.class {}
ThingSchema.setClass(Thing);
