import { ApiKey, AuditEntryRow, AuditRepeats, Invitation, Member, Project, RateLimit, Team } from './entities.ts';
import { CreateGateway } from './migrations/0001-create-gateway.ts';
import { AddAutomaticTax } from './migrations/0002-add-automatic-tax.ts';
import { AddEntitlementsWhilePaused } from './migrations/0003-add-entitlements-while-paused.ts';

/** The tables of the gateway's schema. better-auth migrates its own ones, in the schema `auth`. */
export const gatewaySchema = {
  entities: [Team, Member, Project, ApiKey, Invitation, AuditEntryRow, AuditRepeats, RateLimit],
  migrations: [
    { name: '0001-create-gateway', class: CreateGateway },
    { name: '0002-add-automatic-tax', class: AddAutomaticTax },
    { name: '0003-add-entitlements-while-paused', class: AddEntitlementsWhilePaused },
  ],
};
