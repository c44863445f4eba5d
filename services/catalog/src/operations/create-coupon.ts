import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { CouponId, type ProductId, type ProjectScope } from '@billing/contracts/ids';
import { invalid } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { COUPON_DURATIONS, type CouponCreate } from '@billing/contracts/resources/discount';
import { derivedId } from '@billing/service/derived-id';
import type { Mirrored } from '@billing/service/mirrored-rows';
import type { CouponSnapshot } from '@billing/processor/snapshots/discounts';
import { z } from 'zod';
import { keyMark } from '#domain/key.ts';
import { Coupon } from '#persistence/coupon.entity.ts';
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
import { COUPON, PRODUCT } from './record-types.ts';
import { requireFreeKey } from './require-free-key.ts';

const input = z.object({
  name: z.string(),
  off: z.union([
    z.object({ percent: z.number() }),
    z.object({
      amount: z.int(),
      currency: z.string(),
      currencyOptions: z.record(z.string(), z.int()).exactOptional(),
    }),
  ]),
  duration: z.enum(COUPON_DURATIONS),
  durationInMonths: z.int().exactOptional(),
  productIds: z.array(z.string()).exactOptional(),
  maxRedemptions: z.int().exactOptional(),
  redeemBy: z.coerce.date().exactOptional(),
  metadata: z.record(z.string(), z.string()),
});

export const createCouponKind = createKind<Coupon, CouponSnapshot, z.output<typeof input>>(COUPON, {
  input,
  send: (processor, operation) => processor.createCoupon(operation.input, operation.idempotencyKey),
  findExisting: (processor, { id: operationId, createdAt: since }) =>
    processor.findCreatedCoupon({ metadata: { operationId }, since }),
});

/** Our id of a coupon that was created here, by what the processor has of it; none for others. */
export const namedCouponIds = namedIds(CouponId, 'coupon');

/**
 * Creates a coupon at the processor and here. The same operation key gives the same coupon.
 * @throws Problem 400 for an end that the processor does not take; 404 for an unknown product; 409 `catalog_key_taken`; `processor_error` after a
 * refusal, with nothing left behind; `unavailable` when the processor does not respond, and the coupon appears later
 */
export function createCoupon({ operationLog, now }: Pick<Dependencies, 'operationLog' | 'now'>) {
  return async (
    scope: ProjectScope,
    requested: CouponCreate,
    context: AuditContext,
    operationKey: string = randomUUID(),
  ): Promise<Mirrored<Coupon>> => {
    const id = derivedId(CouponId, operationKey, 'coupon');
    return operationLog.perform(createCouponKind, scope, creation(COUPON, scope, { id, operationKey }), async tx => {
      await requireRoom(tx, COUPON, scope);
      const { key } = requested;
      await requireFreeKey(tx, COUPON, scope, { key, except: [id] });
      const { name, duration, durationInMonths, productIds, maxRedemptions, redeemBy } = requested;
      const { percentOff = null, amountOff = null, currency = null, currencyOptions } = requested;
      const limits = productIds && (await findProcessorIds(tx, scope, productIds));
      const terms = {
        key: key ?? null,
        name,
        percentOff,
        amountOff,
        currency,
        currencyOptions: currencyOptions ?? {},
        duration,
        durationInMonths: durationInMonths ?? null,
        productIds: productIds ?? null,
        maxRedemptions: maxRedemptions ?? null,
        redeemBy: toRedeemBy(redeemBy, now()),
      };
      tx.create(Coupon, { ...scope, ...terms, id, timesRedeemed: 0, metadata: {}, ...reserved(now()) });
      return {
        name,
        duration,
        metadata: { ...keyMark(key), ...marksOf(scope, operationKey) },
        off:
          amountOff !== null && currency !== null
            ? { amount: amountOff, currency, ...(currencyOptions && { currencyOptions }) }
            : { percent: percentOff ?? 0 },
        ...(durationInMonths !== undefined && { durationInMonths }),
        ...(limits && { productIds: limits }),
        ...(maxRedemptions !== undefined && { maxRedemptions }),
        ...(redeemBy && { redeemBy }),
        audit: auditOfCreated(
          context,
          { type: 'coupon', id },
          { ...(key !== undefined && { key }), name, percentOff, amountOff, currency, duration },
        ),
      };
    });
  };
}

/** Years that a coupon can be redeemed for at most. https://docs.stripe.com/api/coupons/create */
const MAX_YEARS = 5;

function toRedeemBy(redeemBy: Date | undefined, now: Date): Date | null {
  const end = endOf('redeemBy', redeemBy, now);
  const last = new Date(now);
  last.setUTCFullYear(now.getUTCFullYear() + MAX_YEARS);
  if (end !== null && end > last)
    throw invalid([{ path: 'redeemBy', message: 'Expected at most five years from now.' }]);
  return end;
}

/** Returns the processor's ids of products. @throws Problem 404 `product_not_found` */
async function findProcessorIds(em: EntityManager, scope: ProjectScope, ids: readonly ProductId[]): Promise<string[]> {
  const products = await Promise.all([...new Set(ids)].map(id => PRODUCT.rows.find(em, scope, id)));
  return products.map(({ processorId }) => processorId);
}
