import { LockMode } from '@mikro-orm/postgresql';
import { ProjectId, type ProjectScope, type TeamId } from '@billing/contracts/ids';
import type { SetGraceDays } from '@billing/contracts/rpc/catalog';
import type { ListProjectStates } from '@billing/contracts/rpc/list-states';
import type { z } from 'zod';
import type { Page, Pagination } from '@billing/contracts/pagination';
import { findNewest } from '@billing/database/find-newest';
import { ProjectCreated, ProjectUpdated } from '@billing/contracts/events/gateway';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { derivedId } from '@billing/service/derived-id';
import { auditEntryId, changesOf } from '@billing/service/audit';
import { notFound } from '@billing/contracts/problem';
import { DEFAULT_GRACE_DAYS } from '@billing/contracts/resources/team';
import { Project, Team } from '#persistence/entities.ts';
import { requireRoom } from '#domain/quotas.ts';
import { audit } from '#persistence/insert-audit-entries.ts';
import { lockTeam } from '#persistence/locks.ts';
import { createOnce } from './create-once.ts';
import type { OperationDependencies } from './dependencies.ts';

/** Returns a project of the team; null also when it belongs to another team. */
export function findProject({ em }: Pick<OperationDependencies, 'em'>) {
  return ({ teamId, projectId }: ProjectScope): Promise<Project | null> =>
    em.fork().findOne(Project, { id: projectId, teamId });
}

/** Returns the name of a team; null when there is no such team. */
export function findTeamName({ em }: Pick<OperationDependencies, 'em'>) {
  return async ({ teamId }: { readonly teamId: TeamId }): Promise<{ name: string } | null> => {
    const team = await em.fork().findOne(Team, { id: teamId });
    return team && { name: team.name };
  };
}

/** Returns one page of the projects of all teams, or of the one named: a call for services, never for API callers. */
export function listProjectStates({ em }: Pick<OperationDependencies, 'em'>) {
  return async ({ projectId, after, limit }: z.output<typeof ListProjectStates.request>) => {
    const id = { ...(projectId && { $eq: projectId }), $gt: (after ?? '') as ProjectId }; // ids compare as texts
    const projects = await em.fork().find(Project, { id }, { orderBy: { id: 'asc' }, limit });
    const records = projects.map(state => ({ recordedAt: state.createdAt, state }));
    return { records, next: projects.length < limit ? null : (projects.at(-1)?.id ?? null) };
  };
}

/**
 * Sets the grace of a project for a service, as its user would have; a repeat is no change.
 * @throws Problem 404 `project_not_found`
 */
export function setGraceDays(dependencies: Pick<OperationDependencies, 'outbox'>) {
  const update = updateProject(dependencies);
  return async ({ operationKey, audit: by, entitlementGraceDays, ...scope }: z.output<typeof SetGraceDays.request>) => {
    await update(scope, { entitlementGraceDays }, { ...by, id: auditEntryId(operationKey) });
    return {};
  };
}

/** Lists a page of the projects of a team, newest first, and how many there are in all. */
export function listProjects({ em }: OperationDependencies) {
  return (teamId: TeamId, page: Page): Promise<[Project[], Pagination]> =>
    findNewest(em.fork(), Project, { teamId }, page);
}

interface ProjectDetails {
  readonly name: string;
  readonly baseCurrency: string;
  readonly automaticTax: boolean;
}

/**
 * Creates a project and publishes `project.created`; the same `operationKey` creates one project.
 * @throws Problem 422 `quota_exceeded`
 */
export function createProject({ em, outbox, quotas, now }: OperationDependencies) {
  const insert = (id: ProjectId, teamId: TeamId, details: ProjectDetails, context: AuditContext) =>
    outbox.transaction(async (tx, publish) => {
      await lockTeam(tx, teamId);
      requireRoom(quotas, 'projects', await tx.count(Project, { teamId }));
      const project = tx.create(Project, {
        ...details,
        entitlementGraceDays: DEFAULT_GRACE_DAYS,
        entitlementsWhilePaused: true,
        id,
        teamId,
        version: 1,
        createdAt: now(),
      });
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

interface ProjectChanges {
  readonly name?: string | undefined;
  readonly baseCurrency?: string | undefined;
  readonly entitlementGraceDays?: number | undefined;
  readonly automaticTax?: boolean | undefined;
  readonly entitlementsWhilePaused?: boolean | undefined;
}

/**
 * Changes the given fields, and publishes `project.updated` if a value is different.
 * @throws Problem 404 `project_not_found`
 */
export function updateProject({ outbox }: Pick<OperationDependencies, 'outbox'>) {
  return ({ teamId, projectId }: ProjectScope, changes: ProjectChanges, context: AuditContext): Promise<Project> =>
    outbox.transaction(async (tx, publish) => {
      const project = await tx.findOneOrFail(
        Project,
        { id: projectId, teamId },
        // Concurrent changes take effect one after the other.
        { lockMode: LockMode.PESSIMISTIC_WRITE, failHandler: () => notFound('project') },
      );
      const { version } = project;
      const audited = {
        target: { type: 'project', id: projectId },
        changes: changesOf(project, changes),
      } as const;
      const {
        name = project.name,
        baseCurrency = project.baseCurrency,
        entitlementGraceDays = project.entitlementGraceDays,
        automaticTax = project.automaticTax,
        entitlementsWhilePaused = project.entitlementsWhilePaused,
      } = changes;
      const settings = { entitlementGraceDays, automaticTax, entitlementsWhilePaused };
      Object.assign(project, { name, baseCurrency, ...settings });
      // The flush increments the version if a field has changed.
      await tx.flush();
      if (project.version !== version) publish(ProjectUpdated, teamId, project);
      await audit(tx, teamId, context, audited);
      return project;
    });
}
