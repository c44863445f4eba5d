import { ApiKey } from './api-key.entity.ts';
import { AuditEntryRow } from './audit-entry.entity.ts';
import { Invitation } from './invitation.entity.ts';
import { CreateGateway } from './migrations/0001-create-gateway.ts';
import { RateLimits } from './migrations/0002-rate-limits.ts';
import { CreateInvitations } from './migrations/0003-create-invitations.ts';
import { CreateAuditLog } from './migrations/0004-create-audit-log.ts';
import { KnowAccountModes } from './migrations/0005-know-account-modes.ts';
import { RateLimit } from './rate-limit.entity.ts';
import { Member, Project, Team } from './team.entity.ts';

/** The tables of the gateway's schema. better-auth migrates its own ones, in the schema `auth`. */
export const gatewaySchema = {
  entities: [Team, Member, Project, ApiKey, Invitation, AuditEntryRow, RateLimit],
  migrations: [
    { name: '0001-create-gateway', class: CreateGateway },
    { name: '0002-rate-limits', class: RateLimits },
    { name: '0003-create-invitations', class: CreateInvitations },
    { name: '0004-create-audit-log', class: CreateAuditLog },
    { name: '0005-know-account-modes', class: KnowAccountModes },
  ],
};
