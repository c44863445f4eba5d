import type { EntityManager } from '@mikro-orm/postgresql';
import { ProjectCreated } from '@billing/contracts/events/gateway';
import { ProjectId, type TeamId } from '@billing/contracts/ids';
import type { Outbox } from '@billing/messaging/outbox';
import { Project } from '#persistence/team.entity.ts';
import { createOnce, idFromOperationKey } from './create-once.ts';

interface Dependencies {
  readonly em: EntityManager;
  readonly outbox: Outbox;
  readonly now: () => Date;
}

interface ProjectDetails {
  readonly name: string;
  readonly baseCurrency: string;
}

/** Creates a project and publishes `project.created`; the same `operationKey` creates one project. */
export function createProject({ em, outbox, now }: Dependencies) {
  const insert = (id: ProjectId, teamId: TeamId, details: ProjectDetails) =>
    outbox.transaction(async (tx, publish) => {
      const project = tx.create(Project, { ...details, id, teamId, version: 1, createdAt: now() });
      publish(ProjectCreated, teamId, project);
      return project;
    });

  return async (teamId: TeamId, details: ProjectDetails, operationKey?: string): Promise<Project> => {
    if (operationKey === undefined) return insert(ProjectId.create(), teamId, details);
    const id = idFromOperationKey('proj', operationKey);
    return createOnce(
      () => em.fork().findOne(Project, { id, teamId }),
      () => insert(id, teamId, details),
    );
  };
}
