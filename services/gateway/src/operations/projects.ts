import type { EntityManager } from '@mikro-orm/postgresql';
import { ProjectCreated, ProjectUpdated } from '@billing/contracts/events/gateway';
import { ProjectId, type ProjectScope, type TeamId } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import { record } from '@billing/messaging/outbox';
import { idOfOperation } from '#domain/operation-id.ts';
import { Project } from '#persistence/team.entity.ts';
import { makeOnce } from './make-once.ts';

interface ProjectDetails {
  readonly name: string;
  readonly baseCurrency: string;
}

/** Creates a project and tells of it; the same `operationKey` creates it once. */
export function createProject(em: EntityManager, now: () => Date) {
  const make = (id: ProjectId, teamId: TeamId, details: ProjectDetails) =>
    em.fork().transactional(async tx => {
      const project = tx.create(Project, { ...details, id, teamId, version: 1, createdAt: now() });
      record(tx, ProjectCreated, teamId, project);
      return project;
    });

  return async (teamId: TeamId, details: ProjectDetails, operationKey?: string): Promise<Project> => {
    if (operationKey === undefined) return make(ProjectId.create(), teamId, details);
    const id = idOfOperation('proj', operationKey);
    return makeOnce(
      () => em.fork().findOne(Project, { id, teamId }),
      () => make(id, teamId, details),
    );
  };
}

/** The projects of a team, newest first. */
export function listProjects(em: EntityManager) {
  return (teamId: TeamId): Promise<Project[]> =>
    em.fork().find(Project, { teamId }, { orderBy: { createdAt: 'desc', id: 'asc' } });
}

/** A project of the team, or null; another team's is as absent as one that never was. */
export function findProject(em: EntityManager) {
  return ({ teamId, projectId }: ProjectScope): Promise<Project | null> =>
    em.fork().findOne(Project, { id: projectId, teamId });
}

/**
 * Changes what is given, and tells of it if anything is different.
 * @throws Problem 404 `project_not_found`
 */
export function updateProject(em: EntityManager) {
  return (
    { teamId, projectId }: ProjectScope,
    changes: { [Key in keyof ProjectDetails]?: ProjectDetails[Key] | undefined },
  ): Promise<Project> =>
    em.fork().transactional(async tx => {
      const project = await tx.findOneOrFail(
        Project,
        { id: projectId, teamId },
        { failHandler: () => notFound('project') },
      );
      const { version } = project;
      if (changes.name !== undefined) project.name = changes.name;
      if (changes.baseCurrency !== undefined) project.baseCurrency = changes.baseCurrency;
      // The database gives the version its next number.
      await tx.flush();
      if (project.version !== version) record(tx, ProjectUpdated, teamId, project);
      return project;
    });
}
