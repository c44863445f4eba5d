import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import type { ReferralConfig } from '@billing/contracts/resources/referral';
import { Program } from '#persistence/program.entity.ts';

export interface ConfigureProgramDependencies {
  readonly em: EntityManager;
  readonly now: () => Date;
}

/** Sets the project's referral program. New amounts apply to later conversions; existing credits do not change. */
export function configureProgram({ em, now }: ConfigureProgramDependencies) {
  return (scope: ProjectScope, program: Omit<ReferralConfig, 'projectId'>): Promise<ReferralConfig> =>
    em.fork().upsert(Program, { ...scope, ...program, updatedAt: now() });
}
