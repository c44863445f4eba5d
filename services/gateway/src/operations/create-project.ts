import type { EntityManager } from '@mikro-orm/postgresql';
import { ProjectCreated } from '@billing/contracts/events/gateway';
import { ProjectId, type TeamId } from '@billing/contracts/ids';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { Outbox } from '@billing/messaging/outbox';
import { derivedId } from '@billing/service/derived-id';
import { changesOf } from '@billing/service/audit';
import { requireRoom, type Quotas } from '#domain/quotas.ts';
import { audit } from '#persistence/insert-audit-entries.ts';
import { lockTeam } from '#persistence/locks.ts';
import { Project } from '#persistence/team.entity.ts';
import { createOnce } from './create-once.ts';

interface Dependencies {
  readonly em: EntityManager;
  readonly outbox: Outbox;
  readonly quotas: Quotas;
  readonly now: () => Date;
}

interface ProjectDetails {
  readonly name: string;
  readonly baseCurrency: string;
}

/**
 * Creates a project and publishes `project.created`; the same `operationKey` creates one project.
 * @throws Problem 422 `quota_exceeded`
 */
export function createProject({ em, outbox, quotas, now }: Dependencies) {
  const insert = (id: ProjectId, teamId: TeamId, details: ProjectDetails, context: AuditContext) =>
    outbox.transaction(async (tx, publish) => {
      await lockTeam(tx, teamId);
      requireRoom(quotas, 'projects', await tx.count(Project, { teamId }));
      const project = tx.create(Project, { ...details, id, teamId, version: 1, createdAt: now() });
      publish(ProjectCreated, teamId, project);
      const audited = { target: { type: 'project', id }, changes: changesOf(null, details) } as const;
      await audit(tx, teamId, { ...context, projectId: id }, audited);
      return project;
    });

  return async (
    teamId: TeamId,
    details: ProjectDetails,
    context: AuditContext,
    operationKey?: string,
  ): Promise<Project> => {
    if (operationKey === undefined) return insert(ProjectId.create(), teamId, details, context);
    const id = derivedId(ProjectId, operationKey, 'project');
    return createOnce(
      () => em.fork().findOne(Project, { id, teamId }),
      () => insert(id, teamId, details, context),
    );
  };
}
