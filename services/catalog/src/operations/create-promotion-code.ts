import { randomUUID } from 'node:crypto';
import { PromotionCodeId, type ProjectScope } from '@billing/contracts/ids';
import { notFound } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import type { PromotionCodeCreate } from '@billing/contracts/resources/promotion-code';
import { FindCustomer } from '@billing/contracts/rpc/calls';
import type { PromotionCodeSnapshot } from '@billing/processor/snapshots/discounts';
import { derivedId } from '@billing/service/derived-id';
import type { Mirrored } from '@billing/service/mirrored-rows';
import { z } from 'zod';
import { refusalOfCoupon, requireWithin, toCodeKey } from '#domain/discount.ts';
import { PromotionCode } from '#persistence/promotion-code.entity.ts';
import type { Dependencies } from '../dependencies.ts';
import {
  auditOfCreated,
  createKind,
  creation,
  endOf,
  marksOf,
  namedIds,
  reserved,
  requireRoom,
} from './create-record.ts';
import { couponNotValid, explainRefusal } from './explain-refusal.ts';
import { COUPON, PROMOTION_CODE } from './record-types.ts';

const input = z.object({
  couponId: z.string(),
  code: z.string().exactOptional(),
  customerId: z.string().exactOptional(),
  maxRedemptions: z.int().exactOptional(),
  expiresAt: z.coerce.date().exactOptional(),
  firstTimeOnly: z.boolean(),
  minimum: z
    .object({
      amount: z.int(),
      currency: z.string(),
      currencyOptions: z.record(z.string(), z.int()).exactOptional(),
    })
    .exactOptional(),
  metadata: z.record(z.string(), z.string()),
});
type Input = z.output<typeof input>;

export const createPromotionCodeKind = createKind<PromotionCode, PromotionCodeSnapshot, Input>(PROMOTION_CODE, {
  input,
  send: (processor, operation) => processor.createPromotionCode(operation.input, operation.idempotencyKey),
  findExisting: (processor, { id: operationId, input: { couponId }, createdAt: since }) =>
    processor.findCreatedPromotionCode(couponId, { metadata: { operationId }, since }),
});

/** Our id of a promotion code that was created here, by what the processor has of it; none for others. */
export const namedPromotionCodeIds = namedIds(PromotionCodeId, 'promotion-code');

/**
 * Creates a promotion code of a coupon, at the processor and here. The same operation key gives the same code.
 * @throws Problem 400 for wider limits than those of the coupon; 404 for an unknown coupon or customer; 422
 * `coupon_not_valid`; 409 `promotion_code_taken`; `processor_error` after another refusal, with nothing left behind;
 * `unavailable` when the processor does not respond, and the code appears later
 */
export function createPromotionCode(dependencies: Omit<Dependencies, 'outbox'>) {
  const { em, operationLog, processors, rpc, now } = dependencies;

  const findCustomer = async (scope: ProjectScope, customerId: PromotionCodeCreate['customerId']) => {
    if (customerId === undefined) return undefined;
    const customer = await rpc.call(FindCustomer, { ...scope, customerId });
    if (!customer) throw notFound('customer');
    return customer.processorCustomerId;
  };

  return async (
    scope: ProjectScope,
    { couponId, code, customerId, minimumAmount, currency, currencyOptions, ...requested }: PromotionCodeCreate,
    context: AuditContext,
    operationKey: string = randomUUID(),
  ): Promise<Mirrored<PromotionCode>> => {
    const id = derivedId(PromotionCodeId, operationKey, 'promotion-code');
    const { processorId: processorCouponId } = await COUPON.rows.find(em.fork(), scope, couponId);
    const processorCustomerId = await findCustomer(scope, customerId);
    const { maxRedemptions, expiresAt, firstTimeOnly } = requested;
    const wanted = { couponId: processorCouponId, code, customerId: processorCustomerId ?? null };
    const target = creation(PROMOTION_CODE, scope, { id, operationKey });
    const performed = operationLog.perform(createPromotionCodeKind, scope, target, async tx => {
      await requireRoom(tx, PROMOTION_CODE, scope);
      const coupon = await COUPON.rows.find(tx, scope, couponId);
      if (refusalOfCoupon(coupon, now())) throw couponNotValid();
      requireWithin(coupon, requested);
      const content = { code: code ?? '', codeKey: toCodeKey(code ?? ''), isActive: true, timesRedeemed: 0 };
      const terms = {
        couponId,
        firstTimeOnly,
        customerId: customerId ?? null,
        maxRedemptions: maxRedemptions ?? null,
        expiresAt: endOf('expiresAt', expiresAt, now()),
        minimumAmount: minimumAmount ?? null,
        currency: currency ?? null,
        currencyOptions: currencyOptions ?? {},
      };
      tx.create(PromotionCode, { ...scope, ...content, ...terms, id, metadata: {}, ...reserved(now()) });
      return {
        couponId: coupon.processorId,
        ...(code !== undefined && { code }),
        ...(processorCustomerId !== undefined && { customerId: processorCustomerId }),
        ...(maxRedemptions !== undefined && { maxRedemptions }),
        ...(expiresAt && { expiresAt }),
        firstTimeOnly,
        ...(minimumAmount !== undefined &&
          currency !== undefined && {
            minimum: { amount: minimumAmount, currency, ...(currencyOptions && { currencyOptions }) },
          }),
        metadata: marksOf(scope, operationKey),
        audit: auditOfCreated(
          context,
          { type: 'promotion_code', id },
          { couponId, code: code ?? null, customerId: customerId ?? null },
        ),
      };
    });
    return performed.catch(async (err: unknown) => explainRefusal(await processors.of(scope.teamId), wanted, err));
  };
}
