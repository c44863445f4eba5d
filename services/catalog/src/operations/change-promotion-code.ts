import type { ProjectScope, PromotionCodeId } from '@billing/contracts/ids';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { unprocessable } from '@billing/contracts/problem';
import { missingOrThrow, ProcessorError } from '@billing/processor/errors';
import type { Mirrored } from '@billing/service/mirrored-rows';
import { refusalOfCode } from '#domain/discount.ts';
import type { PromotionCode } from '#persistence/promotion-code.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import { explainRefusal } from './explain-refusal.ts';
import { PROMOTION_CODE } from './record-types.ts';
import { updatePromotionCode } from './update-record.ts';

/**
 * Activates or deactivates a promotion code at the processor and here.
 * @throws Problem what `updateRecord` throws; for one that cannot be activated 422 `coupon_not_valid`,
 * `promotion_code_expired`, `promotion_code_exhausted`, 409 `promotion_code_taken`
 */
export function changePromotionCode(dependencies: Dependencies) {
  const { em, processors, now } = dependencies;
  const update = updatePromotionCode(dependencies);

  return async (
    scope: ProjectScope,
    id: PromotionCodeId,
    { isActive }: { readonly isActive: boolean },
    context: AuditContext,
  ): Promise<Mirrored<PromotionCode>> =>
    update(scope, id, { isActive }, context).catch(async (err: unknown) => {
      if (!isActive || !(err instanceof ProcessorError)) throw err;
      const { processorId } = await PROMOTION_CODE.rows.find(em.fork(), scope, id);
      const processor = await processors.of(scope.teamId);
      const code = await processor.findPromotionCode(processorId).catch(missingOrThrow);
      if (code === 'missing' || code.couponId === null) throw err;
      const refusal = refusalOfCode({ ...code, isActive: true }, now());
      if (refusal) throw unprocessable(refusal, 'The promotion code can no longer be redeemed; create another one.');
      return explainRefusal(processor, { ...code, couponId: code.couponId }, err);
    });
}
