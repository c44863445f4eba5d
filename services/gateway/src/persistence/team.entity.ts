import { defineEntity, p } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId } from '@billing/contracts/ids';
import { MEMBER_ROLES } from '@billing/contracts/resources/team';

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
    version: p.integer().version(),
    createdAt: p.datetime(),
  },
});

export class Project extends ProjectSchema.class {}
ProjectSchema.setClass(Project);
