import { conflict, unprocessable, type Problem } from '@billing/contracts/problem';
import { isRefused, isRefusedFor, missingOrThrow } from '@billing/processor/errors';
import type { Processor } from '@billing/processor/port';

/** 422: the coupon has expired, was redeemed as often as it can be, or was deleted. */
export const couponNotValid = (): Problem =>
  unprocessable('coupon_not_valid', 'The coupon can no longer be redeemed; create another one.');

/** Throws 422 when the processor refused the tax code of a product, else the failure itself. */
export function explainTaxCode(failure: unknown): never {
  if (!isRefusedFor(failure, { param: 'tax_code' })) throw failure;
  throw unprocessable('tax_code_invalid', 'The payment processor has no such tax code; take one of its list.');
}

/** A promotion code that the processor was to create or to activate; all ids are the processor's. */
interface WantedCode {
  readonly couponId: string;
  /** Undefined where the processor chooses it. */
  readonly code: string | undefined;
  readonly customerId: string | null;
}

/** Throws what the processor's state tells about a refusal, else the failure itself. */
export async function explainRefusal(
  processor: Processor,
  { couponId, code, customerId }: WantedCode,
  failure: unknown,
): Promise<never> {
  if (!isRefused(failure)) throw failure;
  const coupon = await processor.findCoupon(couponId).catch(missingOrThrow);
  if (coupon === 'missing' || !coupon.isValid) throw couponNotValid();
  const others = code === undefined ? [] : await processor.listPromotionCodes(code);
  if (others.some(other => other.isActive && other.customerId === customerId))
    throw conflict(
      'promotion_code_taken',
      'Another active promotion code has this text; deactivate it, or choose another.',
    );
  throw failure;
}
