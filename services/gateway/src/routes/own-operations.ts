import type { EntityManager } from '@mikro-orm/postgresql';
import { notFound } from '@billing/contracts/problem';
import type { Outbox } from '@billing/messaging/outbox';
import type { ApiKeyCache } from '#auth/api-key-cache.ts';
import type { Users } from '#auth/sign-in.ts';
import type { KeySecrets } from '#domain/api-key-secret.ts';
import { addMember } from '#operations/add-member.ts';
import { createApiKey } from '#operations/create-api-key.ts';
import { createProject } from '#operations/create-project.ts';
import { createTeam } from '#operations/create-team.ts';
import { findProject, listProjects } from '#operations/find-projects.ts';
import { listApiKeys } from '#operations/list-api-keys.ts';
import { listMembers } from '#operations/list-members.ts';
import { listTeams } from '#operations/list-teams.ts';
import { removeMember } from '#operations/remove-member.ts';
import { revokeApiKey } from '#operations/revoke-api-key.ts';
import { rotateApiKey } from '#operations/rotate-api-key.ts';
import { updateProject } from '#operations/update-project.ts';
import type { OwnOperations } from './operation-handler.ts';

interface Dependencies {
  readonly em: EntityManager;
  readonly outbox: Outbox;
  readonly users: Users;
  readonly apiKeys: Pick<ApiKeyCache, 'evict'>;
  readonly secrets: Pick<KeySecrets, 'issue'>;
  readonly now: () => Date;
}

/** The operations that the gateway itself serves: teams, members, projects, API keys. */
export function ownOperations(dependencies: Dependencies): OwnOperations {
  const { apiKeys } = dependencies;
  const operations = {
    createTeam: createTeam(dependencies),
    listTeams: listTeams(dependencies),
    listMembers: listMembers(dependencies),
    addMember: addMember(dependencies),
    removeMember: removeMember(dependencies),
    createProject: createProject(dependencies),
    listProjects: listProjects(dependencies),
    findProject: findProject(dependencies),
    updateProject: updateProject(dependencies),
    createApiKey: createApiKey(dependencies),
    listApiKeys: listApiKeys(dependencies),
    revokeApiKey: revokeApiKey(dependencies),
    rotateApiKey: rotateApiKey(dependencies),
  };

  return {
    createTeam: async ({ body, userId, operationKey }) => ({
      team: await operations.createTeam(userId, body.name, operationKey),
    }),
    listTeams: async ({ userId }) => ({ teams: await operations.listTeams(userId) }),

    listMembers: async ({ params }) => ({ members: await operations.listMembers(params.teamId) }),
    addMember: async ({ params, body, operationKey }) => ({
      member: await operations.addMember(params.teamId, body.email, body.role, operationKey),
    }),
    removeMember: async ({ params }) => {
      await operations.removeMember(params.teamId, params.userId);
      return { success: true };
    },

    createProject: async ({ params, body, operationKey }) => ({
      project: await operations.createProject(params.teamId, body, operationKey),
    }),
    listProjects: async ({ params }) => ({ projects: await operations.listProjects(params.teamId) }),
    getProject: async ({ params }) => {
      const project = await operations.findProject(params);
      if (!project) throw notFound('project');
      return { project };
    },
    updateProject: async ({ params, body }) => ({ project: await operations.updateProject(params, body) }),

    createApiKey: async ({ params, body, userId, operationKey }) =>
      operations.createApiKey(params, userId, body, operationKey),
    listApiKeys: async ({ params }) => ({ apiKeys: await operations.listApiKeys(params) }),
    revokeApiKey: async ({ params: { keyId, ...scope } }) => {
      await operations.revokeApiKey(scope, keyId);
      apiKeys.evict(keyId);
      return { success: true };
    },
    rotateApiKey: async ({ params: { keyId, ...scope }, body, operationKey }) => {
      const issued = await operations.rotateApiKey(scope, keyId, body.overlapMs, operationKey);
      apiKeys.evict(keyId);
      return issued;
    },
  };
}
