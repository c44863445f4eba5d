import { defineEntity, p } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId } from '@billing/contracts/ids';

const ProjectSchema = defineEntity({
  name: 'Project',
  tableName: 'projects',
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    projectId: p.text().$type<ProjectId>().primary(),
    /** Null until an event or the gateway names it. */
    baseCurrency: p.text().nullable(),
    /** The version of the newest project event; 0 before the first. */
    version: p.integer(),
    /** When the newest event that the metrics include happened. */
    newestEventAt: p.datetime().nullable(),
    /** The project's first sync: days before it are known only from what the sync found; null without one. */
    estimatedUntil: p.datetime().nullable(),
    /** The rows that requests read. */
    generation: p.integer(),
    /** The rows that a rebuild is making; while it runs, events are written to both generations. */
    buildingGeneration: p.integer().nullable(),
  },
});

/** What analytics stores of a project itself. A transaction that writes rows of the project locks this one first. */
export class Project extends ProjectSchema.class {}
ProjectSchema.setClass(Project);

/** The generation of a project that was never rebuilt. */
export const FIRST_GENERATION = 1;
