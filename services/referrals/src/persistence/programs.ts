import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import type { ReferralConfig } from '@billing/contracts/resources/referral';
import { Program } from './program.entity.ts';

/** The program of a project that has not configured one. */
const DEFAULT_PROGRAM = { enabled: false, referrerCreditAmount: 0, refereeCreditAmount: 0, currency: 'usd' };

/** Returns the project's referral program, or a disabled one without credits when none was configured. */
export async function findProgram(em: EntityManager, scope: ProjectScope): Promise<ReferralConfig> {
  return (await findPrograms(em, [scope]))(scope);
}

/** Finds the referral programs of many projects at once. */
export async function findPrograms(
  em: EntityManager,
  scopes: readonly ProjectScope[],
): Promise<(scope: ProjectScope) => ReferralConfig> {
  const programs = await em.find(Program, { $or: scopes.map(({ teamId, projectId }) => ({ teamId, projectId })) });
  return ({ teamId, projectId }) =>
    programs.find(program => program.teamId === teamId && program.projectId === projectId) ?? {
      ...DEFAULT_PROGRAM,
      projectId,
    };
}
