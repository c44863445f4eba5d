import type { Pagination } from '@billing/contracts/pagination';
import { notFound } from '@billing/contracts/problem';
import type { ApiKeyCache } from '#auth/api-key-cache.ts';
import { createApiKey, listApiKeys, revokeApiKey, rotateApiKey } from '#operations/api-keys.ts';
import { listAuditLog } from '#operations/audit-log.ts';
import {
  changeDeadLetters,
  dropDeadLetter,
  findDeadLetter,
  listDeadLetters,
  retryDeadLetter,
} from '#operations/dead-letters.ts';
import type { OperationDependencies } from '#operations/dependencies.ts';
import { acceptInvitation, inviteMember, listInvitations, withdrawInvitation } from '#operations/invitations.ts';
import { listMembers, removeMember } from '#operations/members.ts';
import { createProject, findProject, listProjects, updateProject } from '#operations/projects.ts';
import { createTeam, listTeams, updateTeam } from '#operations/teams.ts';
import type { OwnOperations } from './operation-handler.ts';

interface Dependencies extends OperationDependencies {
  readonly apiKeys: Pick<ApiKeyCache, 'evict'>;
}

/** The operations that the gateway itself serves: teams, members, invitations, projects, API keys, dead letters. */
export function ownOperations(dependencies: Dependencies): OwnOperations {
  const { apiKeys } = dependencies;
  const operations = {
    createTeam: createTeam(dependencies),
    listTeams: listTeams(dependencies),
    updateTeam: updateTeam(dependencies),
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
    listTeams: async ({ userId, query }) => paged('teams', await operations.listTeams(userId, query)),
    updateTeam: async ({ params, body, audit }) => ({ team: await operations.updateTeam(params.teamId, body, audit) }),

    listAuditLog: async ({ params, query }) => paged('entries', await operations.listAuditLog(params.teamId, query)),

    listDeadLetters: async ({ params, query }) =>
      paged('deadLetters', await operations.listDeadLetters(params.teamId, query)),
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

    listMembers: async ({ params, query }) => paged('members', await operations.listMembers(params.teamId, query)),
    inviteMember: async ({ params: { teamId }, body, userId, audit, operationKey }) => {
      const invited = { teamId, invitedBy: userId, ...body };
      return { invitation: await operations.inviteMember(invited, audit, operationKey) };
    },
    listInvitations: async ({ params, query }) =>
      paged('invitations', await operations.listInvitations(params.teamId, query)),
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
    listProjects: async ({ params, query }) => paged('projects', await operations.listProjects(params.teamId, query)),
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
    listApiKeys: async ({ params, query }) => paged('apiKeys', await operations.listApiKeys(params, query)),
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

/** The response of a list: a page of items under their name, and what it is a page of. */
const paged = <Name extends string, Item>(name: Name, [items, pagination]: readonly [Item[], Pagination]) =>
  ({ [name]: items, pagination }) as Record<Name, Item[]> & { pagination: Pagination }; // a computed name is typed as string
