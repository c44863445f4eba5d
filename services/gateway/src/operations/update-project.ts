import { LockMode } from '@mikro-orm/postgresql';
import { ProjectUpdated } from '@billing/contracts/events/gateway';
import type { ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { Outbox } from '@billing/messaging/outbox';
import { changesOf } from '@billing/service/audit';
import { audit } from '#persistence/insert-audit-entries.ts';
import { Project } from '#persistence/team.entity.ts';

interface ProjectChanges {
  readonly name?: string | undefined;
  readonly baseCurrency?: string | undefined;
}

/**
 * Changes the given fields, and publishes `project.updated` if a value is different.
 * @throws Problem 404 `project_not_found`
 */
export function updateProject({ outbox }: { readonly outbox: Outbox }) {
  return ({ teamId, projectId }: ProjectScope, changes: ProjectChanges, context: AuditContext): Promise<Project> =>
    outbox.transaction(async (tx, publish) => {
      const project = await tx.findOneOrFail(
        Project,
        { id: projectId, teamId },
        // Concurrent changes take effect one after the other.
        { lockMode: LockMode.PESSIMISTIC_WRITE, failHandler: () => notFound('project') },
      );
      const { version, name, baseCurrency } = project;
      if (changes.name !== undefined) project.name = changes.name;
      if (changes.baseCurrency !== undefined) project.baseCurrency = changes.baseCurrency;
      // The flush increments the version if a field has changed.
      await tx.flush();
      if (project.version !== version) publish(ProjectUpdated, teamId, project);
      const after = { name: project.name, baseCurrency: project.baseCurrency };
      const audited = {
        target: { type: 'project', id: projectId },
        changes: changesOf({ name, baseCurrency }, after),
      } as const;
      await audit(tx, teamId, context, audited);
      return project;
    });
}
