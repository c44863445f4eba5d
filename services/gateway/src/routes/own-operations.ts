import type { EntityManager } from '@mikro-orm/postgresql';
import { paginate } from '@billing/contracts/pagination';
import { notFound } from '@billing/contracts/problem';
import type { Outbox } from '@billing/messaging/outbox';
import type { RpcClient } from '@billing/messaging/rpc';
import type { ApiKeyCache } from '#auth/api-key-cache.ts';
import type { Users } from '#auth/sign-in.ts';
import type { KeyMode, KeySecrets } from '#domain/api-key-secret.ts';
import type { InvitationLinks } from '#domain/invitation-link.ts';
import type { Quotas } from '#domain/quotas.ts';
import { acceptInvitation } from '#operations/accept-invitation.ts';
import { changeDeadLetters, dropDeadLetter, retryDeadLetter } from '#operations/change-dead-letters.ts';
import { createApiKey } from '#operations/create-api-key.ts';
import { createProject } from '#operations/create-project.ts';
import { createTeam } from '#operations/create-team.ts';
import { findDeadLetter } from '#operations/find-dead-letter.ts';
import { findProject, listProjects } from '#operations/find-projects.ts';
import { inviteMember } from '#operations/invite-member.ts';
import { listApiKeys } from '#operations/list-api-keys.ts';
import { listAuditLog } from '#operations/list-audit-log.ts';
import { listDeadLetters } from '#operations/list-dead-letters.ts';
import { listInvitations } from '#operations/list-invitations.ts';
import { listMembers } from '#operations/list-members.ts';
import { listTeams } from '#operations/list-teams.ts';
import { removeMember } from '#operations/remove-member.ts';
import { revokeApiKey } from '#operations/revoke-api-key.ts';
import { rotateApiKey } from '#operations/rotate-api-key.ts';
import { updateProject } from '#operations/update-project.ts';
import { withdrawInvitation } from '#operations/withdraw-invitation.ts';
import type { OwnOperations } from './operation-handler.ts';

interface Dependencies {
  readonly em: EntityManager;
  readonly outbox: Outbox;
  readonly rpc: RpcClient;
  readonly users: Users;
  readonly apiKeys: Pick<ApiKeyCache, 'evict'>;
  readonly secrets: KeySecrets;
  readonly keyMode: KeyMode;
  readonly invitationLinks: InvitationLinks;
  readonly quotas: Quotas;
  readonly now: () => Date;
}

/** The operations that the gateway itself serves: teams, members, invitations, projects, API keys, dead letters. */
export function ownOperations(dependencies: Dependencies): OwnOperations {
  const { apiKeys } = dependencies;
  const operations = {
    createTeam: createTeam(dependencies),
    listTeams: listTeams(dependencies),
    listAuditLog: listAuditLog(dependencies),
    listMembers: listMembers(dependencies),
    inviteMember: inviteMember(dependencies),
    listInvitations: listInvitations(dependencies),
    withdrawInvitation: withdrawInvitation(dependencies),
    acceptInvitation: acceptInvitation(dependencies),
    removeMember: removeMember(dependencies),
    createProject: createProject(dependencies),
    listProjects: listProjects(dependencies),
    findProject: findProject(dependencies),
    updateProject: updateProject(dependencies),
    createApiKey: createApiKey(dependencies),
    listApiKeys: listApiKeys(dependencies),
    revokeApiKey: revokeApiKey(dependencies),
    rotateApiKey: rotateApiKey(dependencies),
    listDeadLetters: listDeadLetters(dependencies),
    findDeadLetter: findDeadLetter(dependencies),
    retryDeadLetter: retryDeadLetter(dependencies),
    retryDeadLetters: changeDeadLetters(dependencies, 'retry'),
    dropDeadLetter: dropDeadLetter(dependencies),
    dropDeadLetters: changeDeadLetters(dependencies, 'drop'),
  };

  return {
    createTeam: async ({ body, userId, audit, operationKey }) => ({
      team: await operations.createTeam(userId, body.name, audit, operationKey),
    }),
    listTeams: async ({ userId, query }) => {
      const [teams, total] = await operations.listTeams(userId, query);
      return { teams, pagination: paginate(query, teams.length, total) };
    },

    listAuditLog: async ({ params, query }) => {
      const [entries, total] = await operations.listAuditLog(params.teamId, query);
      return { entries, pagination: paginate(query, entries.length, total) };
    },

    listDeadLetters: async ({ params, query }) => {
      const [deadLetters, total] = await operations.listDeadLetters(params.teamId, query);
      return { deadLetters, pagination: paginate(query, deadLetters.length, total) };
    },
    getDeadLetter: async ({ params: { teamId, deadLetterId } }) => ({
      deadLetter: await operations.findDeadLetter(teamId, deadLetterId),
    }),
    retryDeadLetter: async ({ params: { teamId, deadLetterId }, audit }) => {
      await operations.retryDeadLetter(teamId, deadLetterId, audit);
      return { success: true };
    },
    retryDeadLetters: async ({ params, body, audit }) => ({
      retried: await operations.retryDeadLetters(params.teamId, body, audit),
    }),
    dropDeadLetter: async ({ params: { teamId, deadLetterId }, audit }) => {
      await operations.dropDeadLetter(teamId, deadLetterId, audit);
      return { success: true };
    },
    dropDeadLetters: async ({ params, body, audit }) => ({
      dropped: await operations.dropDeadLetters(params.teamId, body, audit),
    }),

    listMembers: async ({ params, query }) => {
      const [members, total] = await operations.listMembers(params.teamId, query);
      return { members, pagination: paginate(query, members.length, total) };
    },
    inviteMember: async ({ params: { teamId }, body, userId, audit, operationKey, requireFreshSession }) => {
      if (body.role === 'owner') requireFreshSession();
      const invited = { teamId, invitedBy: userId, ...body };
      return { invitation: await operations.inviteMember(invited, audit, operationKey) };
    },
    listInvitations: async ({ params, query }) => {
      const [invitations, total] = await operations.listInvitations(params.teamId, query);
      return { invitations, pagination: paginate(query, invitations.length, total) };
    },
    withdrawInvitation: async ({ params: { teamId, invitationId }, audit }) => {
      await operations.withdrawInvitation(teamId, invitationId, audit);
      return { success: true };
    },
    acceptInvitation: ({ params, userId, audit }) => operations.acceptInvitation(userId, params.invitationToken, audit),
    removeMember: async ({ params: { teamId, userId }, query, audit, requireFreshSession }) => {
      const removal = { keepKeys: query.keepKeys, requireMayRemoveOwner: requireFreshSession };
      const left = await operations.removeMember(teamId, userId, removal, audit);
      for (const { id } of left.revokedKeys) apiKeys.evict(id);
      return { success: true, ...left };
    },

    createProject: async ({ params, body, audit, operationKey }) => ({
      project: await operations.createProject(params.teamId, body, audit, operationKey),
    }),
    listProjects: async ({ params, query }) => {
      const [projects, total] = await operations.listProjects(params.teamId, query);
      return { projects, pagination: paginate(query, projects.length, total) };
    },
    getProject: async ({ params }) => {
      const project = await operations.findProject(params);
      if (!project) throw notFound('project');
      return { project };
    },
    updateProject: async ({ params, body, audit }) => ({
      project: await operations.updateProject(params, body, audit),
    }),

    createApiKey: async ({ params, body, userId, audit, operationKey }) =>
      operations.createApiKey(params, userId, body, audit, operationKey),
    listApiKeys: async ({ params, query }) => {
      const [keys, total] = await operations.listApiKeys(params, query);
      return { apiKeys: keys, pagination: paginate(query, keys.length, total) };
    },
    revokeApiKey: async ({ params: { keyId, ...scope }, audit }) => {
      await operations.revokeApiKey(scope, keyId, audit);
      apiKeys.evict(keyId);
      return { success: true };
    },
    rotateApiKey: async ({ params: { keyId, ...scope }, body, userId, audit, operationKey }) => {
      const issued = await operations.rotateApiKey(scope, keyId, { userId, ...body }, audit, operationKey);
      apiKeys.evict(keyId);
      return issued;
    },
  };
}
