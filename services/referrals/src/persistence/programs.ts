import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import type { ReferralConfig } from '@billing/contracts/resources/referral';
import { Program } from './program.entity.ts';

/** The program of a project that has not configured one. */
const DEFAULT_PROGRAM = { enabled: false, referrerCreditAmount: 0, refereeCreditAmount: 0, currency: 'usd' };

/** Returns the project's referral program, or a disabled one without credits when none was configured. */
export async function findProgram(em: EntityManager, scope: ProjectScope): Promise<ReferralConfig> {
  const program = await em.findOne(Program, { ...scope });
  return program ?? { ...DEFAULT_PROGRAM, projectId: scope.projectId };
}
