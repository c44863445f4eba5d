import { defineEntity, p } from '@mikro-orm/postgresql';
import type { ApiKeyId, AuditEntryId, InvitationId, ProjectId, TeamId } from '@billing/contracts/ids';
import { MEMBER_ROLES } from '@billing/contracts/resources/team';
import type { Scope } from '@billing/contracts/scopes';
import type { AUDIT_ACTOR_TYPES, AuditChange, AuditTargetType } from '@billing/contracts/resources/audit-entry';

const TeamSchema = defineEntity({
  name: 'Team',
  tableName: 'teams',
  properties: {
    id: p.text().primary().$type<TeamId>(),
    name: p.text(),
    createdAt: p.datetime(),
    /** Whether its processor account is a live one; null before the first one is connected. */
    accountLivemode: p.boolean().strictNullable(),
    /** Of the account's change that said so; 0 before the first. */
    accountVersion: p.integer().default(0),
  },
});

export class Team extends TeamSchema.class {}
TeamSchema.setClass(Team);

const MemberSchema = defineEntity({
  name: 'Member',
  tableName: 'members',
  indexes: [{ name: 'members_user_id_index', properties: ['userId'] }],
  properties: {
    teamId: p.text().primary().$type<TeamId>(),
    /** A user of better-auth, whose tables are in the schema `auth`. */
    userId: p.text().primary(),
    role: p.enum(MEMBER_ROLES),
    createdAt: p.datetime(),
    /** Identifies the request with an `Idempotency-Key` that added the member. */
    operationKey: p.uuid().strictNullable(),
  },
});

export class Member extends MemberSchema.class {}
MemberSchema.setClass(Member);

const ProjectSchema = defineEntity({
  name: 'Project',
  tableName: 'projects',
  indexes: [{ name: 'projects_team_id_created_at_index', properties: ['teamId', 'createdAt'] }],
  properties: {
    id: p.text().primary().$type<ProjectId>(),
    teamId: p.text().$type<TeamId>(),
    name: p.text(),
    baseCurrency: p.text(),
    entitlementGraceDays: p.integer(),
    automaticTax: p.boolean(),
    entitlementsWhilePaused: p.boolean(),
    version: p.integer().version(),
    createdAt: p.datetime(),
  },
});

export class Project extends ProjectSchema.class {}
ProjectSchema.setClass(Project);

const InvitationSchema = defineEntity({
  name: 'Invitation',
  tableName: 'invitations',
  indexes: [
    { name: 'invitations_team_id_index', properties: ['teamId', 'createdAt'] },
    { name: 'invitations_email_index', properties: ['email'] },
  ],
  properties: {
    id: p.text().primary().$type<InvitationId>(),
    teamId: p.text().$type<TeamId>(),
    email: p.text(),
    role: p.enum(MEMBER_ROLES),
    /** SHA-256 in hex; the token itself is not stored. */
    tokenHash: p.text().unique('invitations_token_hash_unique'),
    /** The owner who invited: a user of better-auth. */
    invitedBy: p.text(),
    createdAt: p.datetime(),
    expiresAt: p.datetime(),
    /** When it was accepted, withdrawn or replaced. */
    closedAt: p.datetime().strictNullable(),
  },
});

/** An invitation to a team. */
export class Invitation extends InvitationSchema.class {}
InvitationSchema.setClass(Invitation);

const ApiKeySchema = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  indexes: [{ name: 'api_keys_project_index', properties: ['teamId', 'projectId', 'createdAt'] }],
  properties: {
    id: p.text().primary().$type<ApiKeyId>(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().$type<ProjectId>(),
    name: p.text(),
    scopes: p.array().$type<Scope[]>(),
    prefix: p.text(),
    last4: p.text(),
    /** SHA-256 in hex; the secret itself is not stored. */
    secretHash: p.text().unique('api_keys_secret_hash_unique'),
    /** The hash before the last rotation, valid until `previousExpiresAt`. */
    previousSecretHash: p.text().strictNullable().unique('api_keys_previous_secret_hash_unique'),
    previousExpiresAt: p.datetime().strictNullable(),
    expiresAt: p.datetime().strictNullable(),
    lastUsedAt: p.datetime().strictNullable(),
    /** No response contains a revoked key; its row stays for the record. */
    revokedAt: p.datetime().strictNullable(),
    createdBy: p.text(),
    /** The user who received the secret of the last rotation. */
    rotatedBy: p.text().strictNullable(),
    createdAt: p.datetime(),
  },
});

/** An API key of a project. */
export class ApiKey extends ApiKeySchema.class {}
ApiKeySchema.setClass(ApiKey);

const AuditEntryRowSchema = defineEntity({
  name: 'AuditEntryRow',
  tableName: 'audit_entries',
  indexes: [{ name: 'audit_entries_team_id_index', properties: ['teamId', 'at', 'id'] }],
  triggers: [
    {
      name: 'audit_entries_append_only',
      timing: 'before',
      events: ['update', 'delete', 'truncate'],
      forEach: 'statement',
      expression: 'execute function refuse_audit_change()',
    },
  ],
  properties: {
    id: p.text().primary().$type<AuditEntryId>(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().strictNullable().$type<ProjectId | null>(),
    at: p.datetime(),
    actorType: p.text().$type<(typeof AUDIT_ACTOR_TYPES)[number]>(),
    actorId: p.text().strictNullable(),
    action: p.text(),
    targetType: p.text().strictNullable().$type<AuditTargetType | null>(),
    targetId: p.text().strictNullable(),
    requestId: p.text(),
    address: p.text().strictNullable(),
    outcome: p.enum(['succeeded', 'refused']),
    changes: p.json<AuditChange[]>(),
  },
});

/** An entry of a team's audit log; it is never changed or deleted. */
export class AuditEntryRow extends AuditEntryRowSchema.class {}
AuditEntryRowSchema.setClass(AuditEntryRow);

const AuditRepeatsSchema = defineEntity({
  name: 'AuditRepeats',
  tableName: 'audit_repeats',
  properties: {
    entryId: p.text().primary().$type<AuditEntryId>(),
    count: p.integer(),
  },
});

/** How often a refusal was repeated after its entry was added, which itself never changes. */
export class AuditRepeats extends AuditRepeatsSchema.class {}
AuditRepeatsSchema.setClass(AuditRepeats);

/** How many points of a rate limit a key has used in its current window. */
const RateLimitSchema = defineEntity({
  name: 'RateLimit',
  tableName: 'rate_limits',
  properties: {
    key: p.text().primary(),
    points: p.integer(),
    /** When the window ends, in milliseconds since 1970. */
    expire: p.bigint().nullable(),
  },
});

export class RateLimit extends RateLimitSchema.class {}
RateLimitSchema.setClass(RateLimit);
