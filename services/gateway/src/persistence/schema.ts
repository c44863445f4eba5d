import { ApiKey } from './api-key.entity.ts';
import { CreateGateway } from './migrations/0001-create-gateway.ts';
import { Member, Project, Team } from './team.entity.ts';

/** The tables of the gateway's schema. better-auth migrates its own ones, in the schema `auth`. */
export const gatewaySchema = {
  entities: [Team, Member, Project, ApiKey],
  migrations: [{ name: '0001-create-gateway', class: CreateGateway }],
};
