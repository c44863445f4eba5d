import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import type { ReferralConfig } from '@billing/contracts/resources/referral';
import { unconfiguredProgram } from '#domain/program.ts';
import { Program } from '#persistence/program.entity.ts';

/** The project's referral program; one that was never configured is disabled and gives nothing. */
export async function findProgram(em: EntityManager, scope: ProjectScope): Promise<ReferralConfig> {
  return (await em.findOne(Program, { ...scope })) ?? unconfiguredProgram(scope.projectId);
}
