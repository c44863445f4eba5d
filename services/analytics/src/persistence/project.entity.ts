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
    /** How the current generation was counted; less than `FORMAT` when an older version of this service did. */
    format: p.integer().default(6),
  },
});

/** What analytics stores of a project itself. A transaction that writes rows of the project locks this one first. */
export class Project extends ProjectSchema.class {}
ProjectSchema.setClass(Project);

/** How this version of the service counts. A project that was counted in an older way is rebuilt (`jobs/recount.ts`). */
export const FORMAT = 6;

/** The generation of a project that was never rebuilt. */
export const FIRST_GENERATION = 1;
