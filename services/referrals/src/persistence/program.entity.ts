import { defineEntity, p } from '@mikro-orm/postgresql';
import type { ProjectId, TeamId } from '@billing/contracts/ids';

const ProgramSchema = defineEntity({
  name: 'Program',
  tableName: 'programs',
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    projectId: p.text().$type<ProjectId>().primary(),
    enabled: p.boolean(),
    /** Both amounts are in the smallest unit of `currency`. */
    referrerCreditAmount: p.integer(),
    refereeCreditAmount: p.integer(),
    currency: p.text(),
    updatedAt: p.datetime(),
  },
});

/** The referral program of a project that has configured one. */
export class Program extends ProgramSchema.class {}
ProgramSchema.setClass(Program);
