import type { Outbox } from '@billing/messaging/outbox';
import { openOperationLog, type OperationLog } from '@billing/processor/operation-log/operation-log';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { Logger } from 'pino';
import { createCouponKind } from './create-coupon.ts';
import { createPriceKind } from './create-price.ts';
import { createProductKind } from './create-product.ts';
import { createPromotionCodeKind } from './create-promotion-code.ts';
import { deleteCouponKind, deletePriceKind, deleteProductKind } from './delete-record.ts';
import { updateCouponKind, updatePriceKind, updateProductKind, updatePromotionCodeKind } from './update-record.ts';

interface CatalogOperationLogOptions {
  readonly outbox: Outbox;
  readonly processors: TeamProcessors;
  readonly logger: Logger;
  readonly now: () => Date;
}

/** Opens the log of everything this service writes to the processor. */
export function openCatalogOperationLog({ now, ...options }: CatalogOperationLogOptions): OperationLog {
  const products = [createProductKind, updateProductKind(now), deleteProductKind(now)];
  const prices = [createPriceKind, updatePriceKind(now), deletePriceKind(now)];
  const coupons = [createCouponKind, updateCouponKind(now), deleteCouponKind(now)];
  const codes = [createPromotionCodeKind, updatePromotionCodeKind(now)];
  return openOperationLog({ ...options, kinds: [...products, ...prices, ...coupons, ...codes] });
}
