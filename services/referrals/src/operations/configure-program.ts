import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import type { ReferralConfig } from '@billing/contracts/resources/referral';
import { Program } from '#persistence/program.entity.ts';

/** Sets the project's referral program. New amounts are for later conversions; credits already earned stay as they are. */
export function configureProgram(em: EntityManager, clock: () => Date) {
  return (scope: ProjectScope, program: Omit<ReferralConfig, 'projectId'>): Promise<ReferralConfig> =>
    em.fork().upsert(Program, { ...scope, ...program, updatedAt: clock() });
}
