import { ApiKey } from './api-key.entity.ts';
import { AuditEntryRow } from './audit-entry.entity.ts';
import { Invitation } from './invitation.entity.ts';
import { CreateGateway } from './migrations/0001-create-gateway.ts';
import { RateLimit } from './rate-limit.entity.ts';
import { Member, Project, Team } from './team.entity.ts';

/** The tables of the gateway's schema. better-auth migrates its own ones, in the schema `auth`. */
export const gatewaySchema = {
  entities: [Team, Member, Project, ApiKey, Invitation, AuditEntryRow, RateLimit],
  migrations: [{ name: '0001-create-gateway', class: CreateGateway }],
};
