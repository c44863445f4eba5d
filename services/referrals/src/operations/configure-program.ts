import type { ProjectScope } from '@billing/contracts/ids';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { ReferralConfig } from '@billing/contracts/resources/referral';
import type { Outbox } from '@billing/messaging/outbox';
import { changesOf, recordAudit } from '@billing/service/audit';
import { Program } from '#persistence/program.entity.ts';

export interface ConfigureProgramDependencies {
  readonly outbox: Outbox;
  readonly now: () => Date;
}

/** Sets the project's referral program. New amounts apply to later conversions; existing credits do not change. */
export function configureProgram({ outbox, now }: ConfigureProgramDependencies) {
  return (
    { teamId, projectId }: ProjectScope,
    program: Omit<ReferralConfig, 'projectId'>,
    context: AuditContext,
  ): Promise<ReferralConfig> =>
    outbox.transaction(async (tx, publish) => {
      const before = await tx.findOne(Program, { teamId, projectId }, { disableIdentityMap: true });
      const changes = changesOf(before, program);
      recordAudit(publish, teamId, context, { target: { type: 'referral_config', id: projectId }, changes });
      return tx.upsert(Program, { teamId, projectId, ...program, updatedAt: now() });
    });
}
