import { z } from 'zod';
import { declareOperations, success } from '../declare-operations.ts';
import { PROJECT_PATH, TEAM_PATH } from '../operation.ts';
import { pagination, wholeListQuery } from '../pagination.ts';
import { auditOperations } from './audit.ts';
import { deadLetterOperations } from './dead-letters.ts';
import { apiKey, apiKeyCreate, apiKeyRotate, issuedKey, teamApiKey } from '../resources/api-key.ts';
import {
  invitation,
  invitationCreate,
  issuedInvitation,
  member,
  project,
  projectCreate,
  projectUpdate,
  team,
  teamCreate,
  teamUpdate,
} from '../resources/team.ts';
import { booleanText } from '../text.ts';

const teamMember = { kind: 'team', role: 'member' } as const;
const teamOwner = { kind: 'team', role: 'owner' } as const;
const freshOwner = { ...teamOwner, fresh: 'always' } as const;
const projectSession = { kind: 'project-session' } as const;
const freshProjectSession = { ...projectSession, fresh: 'always' } as const;

const teamOperations = declareOperations('gateway', {
  createTeam: {
    route: 'POST /api/service/teams',
    access: { kind: 'session' },
    summary: 'Create a team with the signed-in user as owner',
    body: teamCreate,
    status: 201,
    response: z.object({ team }),
    problems: ['quota_exceeded'],
  },
  listTeams: {
    route: 'GET /api/service/teams',
    access: { kind: 'session' },
    summary: 'List the teams of the signed-in user',
    query: z.strictObject(wholeListQuery),
    response: z.object({ teams: z.array(team), pagination }),
  },
  updateTeam: {
    route: `PATCH ${TEAM_PATH}`,
    access: teamOwner,
    summary: 'Rename a team',
    body: teamUpdate,
    response: z.object({ team }),
    example: { response: { team: { name: 'Acme Inc.' } } },
  },
  listMembers: {
    route: `GET ${TEAM_PATH}/members`,
    access: teamMember,
    summary: 'List the members of a team',
    query: z.strictObject(wholeListQuery),
    response: z.object({ members: z.array(member), pagination }),
  },
  inviteMember: {
    route: `POST ${TEAM_PATH}/members`,
    access: freshOwner,
    summary: 'Invite someone to a team; replaces an earlier invitation of the same address',
    body: invitationCreate,
    status: 202,
    response: z.object({ invitation: issuedInvitation }),
    refusals: { target: 'invitation' },
    problems: ['member_exists', 'quota_exceeded', 'secret_not_repeatable'],
  },
  listInvitations: {
    route: `GET ${TEAM_PATH}/invitations`,
    access: teamOwner,
    summary: 'List the open invitations of a team',
    query: z.strictObject(wholeListQuery),
    response: z.object({ invitations: z.array(invitation), pagination }),
  },
  withdrawInvitation: {
    route: `DELETE ${TEAM_PATH}/invitations/:invitationId`,
    access: teamOwner,
    summary: 'Withdraw an invitation',
    response: success,
    refusals: { target: 'invitation', param: 'invitationId' },
    problems: ['invitation_not_found'],
  },
  acceptInvitation: {
    route: 'POST /api/service/invitations/:invitationToken/accept',
    access: { kind: 'session' },
    summary: 'Accept an invitation as the user whose e-mail address was invited',
    response: z.object({ team, member }),
    refusals: { target: 'invitation' },
    problems: ['invitation_not_found', 'member_exists'],
  },
  removeMember: {
    route: `DELETE ${TEAM_PATH}/members/:userId`,
    access: { ...teamOwner, fresh: 'for-owners' },
    summary: 'Remove a member from a team, and revoke their API keys; the last owner cannot be removed',
    query: z.strictObject({
      keepKeys: booleanText.default(false).describe('Whether the API keys of the member stay valid.'),
    }),
    response: success.extend({
      revokedKeys: z.array(teamApiKey),
      keptKeys: z.array(teamApiKey).meta({ example: [] }),
      withdrawnInvitations: z.array(invitation).meta({ example: [] }),
    }),
    refusals: { target: 'member', param: 'userId' },
    problems: ['member_not_found', 'last_owner'],
    example: { query: { keepKeys: 'false' } },
  },
  createProject: {
    route: `POST ${TEAM_PATH}/projects`,
    access: teamMember,
    summary: 'Create a project',
    body: projectCreate,
    status: 201,
    response: z.object({ project }),
    problems: ['quota_exceeded'],
  },
  listProjects: {
    route: `GET ${TEAM_PATH}/projects`,
    access: teamMember,
    summary: 'List the projects of a team',
    query: z.strictObject(wholeListQuery),
    response: z.object({ projects: z.array(project), pagination }),
  },
  getProject: {
    route: `GET ${TEAM_PATH}/projects/:projectId`,
    access: teamMember,
    summary: 'Get a project',
    response: z.object({ project }),
  },
  updateProject: {
    route: `PATCH ${TEAM_PATH}/projects/:projectId`,
    access: teamMember,
    summary: 'Change a project’s name, base currency, days of grace, or whether it computes tax',
    body: projectUpdate,
    response: z.object({ project }),
    example: { response: { project: { name: 'Web shop' } } },
  },
  createApiKey: {
    route: `POST ${PROJECT_PATH}/api-keys`,
    access: freshProjectSession,
    summary: 'Create an API key; its secret is returned only once',
    body: apiKeyCreate,
    status: 201,
    response: issuedKey,
    refusals: { target: 'api_key' },
    problems: ['secret_not_repeatable', 'quota_exceeded'],
  },
  listApiKeys: {
    route: `GET ${PROJECT_PATH}/api-keys`,
    access: projectSession,
    summary: 'List the API keys of a project',
    query: z.strictObject(wholeListQuery),
    response: z.object({ apiKeys: z.array(apiKey), pagination }),
  },
  revokeApiKey: {
    route: `DELETE ${PROJECT_PATH}/api-keys/:keyId`,
    access: projectSession,
    summary: 'Revoke an API key',
    response: success,
    refusals: { target: 'api_key', param: 'keyId' },
    problems: ['api_key_not_found'],
  },
  rotateApiKey: {
    route: `POST ${PROJECT_PATH}/api-keys/:keyId/rotate`,
    access: freshProjectSession,
    summary: 'Rotate the secret of an API key; the old secret stays valid for overlapMs',
    body: apiKeyRotate,
    status: 201,
    response: issuedKey,
    refusals: { target: 'api_key', param: 'keyId' },
    problems: ['api_key_not_found', 'secret_not_repeatable'],
  },
});

/** The operations that the gateway itself serves. */
export const gatewayOperations = { ...auditOperations, ...deadLetterOperations, ...teamOperations };
