import type { EntityManager } from '@mikro-orm/postgresql';
import { notFound } from '@billing/contracts/problem';
import type { KeyRing } from '#admission/keys.ts';
import type { Handlers } from '#http/serve.ts';
import { createApiKey, listApiKeys, revokeApiKey, rotateApiKey } from '#operations/api-keys.ts';
import type { KeySecrets } from '#operations/key-secrets.ts';
import { addMember, listMembers, removeMember } from '#operations/members.ts';
import { createProject, findProject, listProjects, updateProject } from '#operations/projects.ts';
import { createTeam, listTeams } from '#operations/teams.ts';
import type { Users } from '#sign-in/users.ts';

interface OwnParts {
  readonly em: EntityManager;
  readonly users: Users;
  readonly keys: Pick<KeyRing, 'forget'>;
  readonly secrets: KeySecrets;
  readonly now: () => Date;
}

/** What the gateway answers itself: teams, members, projects, API keys. */
export function ownOperations({ em, users, keys, secrets, now }: OwnParts): Handlers {
  const newTeam = createTeam(em, now);
  const teamsOf = listTeams(em);
  const membersOf = listMembers(em, users);
  const newMember = addMember(em, users, now);
  const withoutMember = removeMember(em);
  const newProject = createProject(em, now);
  const projectsOf = listProjects(em);
  const projectAt = findProject(em);
  const changedProject = updateProject(em);
  const newKey = createApiKey({ em, secrets, now });
  const keysOf = listApiKeys(em);
  const revoke = revokeApiKey(em, now);
  const rotate = rotateApiKey({ em, secrets, now });

  return {
    createTeam: async ({ body, userId, operationKey }) => ({ team: await newTeam(userId, body.name, operationKey) }),
    listTeams: async ({ userId }) => ({ teams: await teamsOf(userId) }),

    listMembers: async ({ params }) => ({ members: await membersOf(params.teamId) }),
    addMember: async ({ params, body, operationKey }) => ({
      member: await newMember(params.teamId, body.email, body.role, operationKey),
    }),
    removeMember: async ({ params }) => {
      await withoutMember(params.teamId, params.userId);
      return { success: true };
    },

    createProject: async ({ params, body, operationKey }) => ({
      project: await newProject(params.teamId, body, operationKey),
    }),
    listProjects: async ({ params }) => ({ projects: await projectsOf(params.teamId) }),
    getProject: async ({ params }) => {
      const project = await projectAt(params);
      if (!project) throw notFound('project');
      return { project };
    },
    updateProject: async ({ params, body }) => ({ project: await changedProject(params, body) }),

    createApiKey: async ({ params, body, userId, operationKey }) => newKey(params, userId, body, operationKey),
    listApiKeys: async ({ params }) => ({ apiKeys: await keysOf(params) }),
    revokeApiKey: async ({ params: { keyId, ...scope } }) => {
      await revoke(scope, keyId);
      keys.forget(keyId);
      return { success: true };
    },
    rotateApiKey: async ({ params: { keyId, ...scope }, body, operationKey }) => {
      const issued = await rotate(scope, keyId, body.overlapMs, operationKey);
      keys.forget(keyId);
      return issued;
    },
  };
}
