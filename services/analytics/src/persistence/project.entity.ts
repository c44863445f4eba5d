import { defineEntity, p } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId } from '@billing/contracts/ids';

const ProjectSchema = defineEntity({
  name: 'Project',
  tableName: 'projects',
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    projectId: p.text().$type<ProjectId>().primary(),
    /** Null until it is known. */
    baseCurrency: p.text().nullable(),
    /** Of the newest fact about the project itself; 0 before the first. */
    version: p.integer(),
    /** When the newest fact in the figures happened. */
    newestFactAt: p.datetime().nullable(),
    /** The rows that are shown: a rebuild makes new ones beside them and then moves this on. */
    generation: p.integer(),
    /** The rows that a rebuild is making; facts are kept in both. */
    building: p.integer().nullable(),
  },
});

/** A project as far as its figures need it. Whoever writes its rows holds a lock on this one. */
export class Project extends ProjectSchema.class {}
ProjectSchema.setClass(Project);

/** The generation of a project that was never rebuilt. */
export const FIRST_GENERATION = 1;
