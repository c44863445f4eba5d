import type { EntityManager } from '@mikro-orm/postgresql';
import {
  CouponId,
  PriceId,
  ProductId,
  PromotionCodeId,
  type CustomerId,
  type ProjectScope,
} from '@billing/contracts/ids';
import type { ProjectObject } from '@billing/database/project-objects';
import type { Publish } from '@billing/messaging/outbox';
import type { PriceSnapshot, ProductSnapshot } from '@billing/processor/port';
import type { CouponSnapshot, PromotionCodeSnapshot } from '@billing/processor/snapshots/discounts';
import { idOfMirrored } from '@billing/service/derived-id';
import { isMirrored, type Mirrored } from '@billing/service/mirrored-rows';
import type { Source } from '@billing/service/save-record';
import { isLostByRestore } from '@billing/service/restores';
import { toCouponContent, toCouponTerms, toPromotionCodeContent, toPromotionCodeTerms } from '#domain/discount.ts';
import { toContent as toPriceContent, toTerms } from '#domain/price.ts';
import { toContent as toProductContent } from '#domain/product.ts';
import { Coupon } from '#persistence/coupon.entity.ts';
import { Price } from '#persistence/price.entity.ts';
import { Product } from '#persistence/product.entity.ts';
import { PromotionCode } from '#persistence/promotion-code.entity.ts';
import {
  COUPON,
  PRICE,
  PRODUCT,
  PROMOTION_CODE,
  type CatalogRow,
  type CatalogSnapshot,
  type RecordType,
} from './record-types.ts';
import { publishCreated } from './save-record.ts';

/** Where a record comes from. */
export interface MirrorOrigin<Id extends string> {
  readonly scope: ProjectScope;
  /** Our ids of the record, if it was created here: while it has no processor id, its events wait. */
  readonly named: readonly ProjectObject<Id>[];
  /** The event that led here. */
  readonly source: Source;
  /**
   * When the event happened that carried the record; null when it was read from the processor. Then its events are still to
   * come, and may be older than what was read.
   */
  readonly eventAt: Date | null;
  readonly createdAt: Date;
}

/** Adds a product that was created at the processor. */
export async function mirrorProduct(
  tx: EntityManager,
  publish: Publish,
  product: ProductSnapshot,
  origin: MirrorOrigin<ProductId>,
): Promise<Mirrored<Product>> {
  const id =
    (await findLostId(tx, PRODUCT.rows, origin)) ??
    idOfMirrored(ProductId, origin.scope, product.id, product.createdAt);
  const row = tx.create(Product, { ...toProductContent(product), ...columnsOf(product, origin), id });
  return created(PRODUCT, publish, row, origin.source);
}

/** Adds a price that was created at the processor, with the event name of its meter. */
export async function mirrorPrice(
  tx: EntityManager,
  publish: Publish,
  price: PriceSnapshot & { readonly meter: string | null },
  { productId, ...origin }: MirrorOrigin<PriceId> & { readonly productId: ProductId },
): Promise<Mirrored<Price>> {
  const id =
    (await findLostId(tx, PRICE.rows, origin)) ?? idOfMirrored(PriceId, origin.scope, price.id, price.createdAt);
  const content = { currencyOptions: {}, ...toPriceContent(price), ...toTerms(price), meter: price.meter, productId };
  const row = tx.create(Price, { ...content, ...columnsOf(price, origin), id });
  return created(PRICE, publish, row, origin.source);
}

/** Adds a coupon that was created at the processor, limited to those of its products that the project has. */
export async function mirrorCoupon(
  tx: EntityManager,
  publish: Publish,
  coupon: CouponSnapshot,
  origin: MirrorOrigin<CouponId>,
): Promise<Mirrored<Coupon>> {
  const { scope, source } = origin;
  const id = (await findLostId(tx, COUPON.rows, origin)) ?? idOfMirrored(CouponId, scope, coupon.id, coupon.createdAt);
  const limits = coupon.productIds?.map(productId => ({ scope, id: productId }));
  const products = limits && (await PRODUCT.rows.findByProcessorIds(tx, limits));
  const productIds = products ? [...products.values()].map(product => product.id) : null;
  const content = { currencyOptions: {}, ...toCouponContent(coupon), ...toCouponTerms(coupon), productIds };
  return created(COUPON, publish, tx.create(Coupon, { ...content, ...columnsOf(coupon, origin), id }), source);
}

interface CodeOrigin extends MirrorOrigin<PromotionCodeId> {
  readonly couponId: CouponId;
  readonly customerId: CustomerId | null;
}

/** Adds a promotion code that was created at the processor. */
export async function mirrorPromotionCode(
  tx: EntityManager,
  publish: Publish,
  code: PromotionCodeSnapshot,
  { couponId, customerId, ...origin }: CodeOrigin,
): Promise<Mirrored<PromotionCode>> {
  const id =
    (await findLostId(tx, PROMOTION_CODE.rows, origin)) ??
    idOfMirrored(PromotionCodeId, origin.scope, code.id, code.createdAt);
  const terms = { ...toPromotionCodeTerms(code), couponId, customerId };
  const content = { currencyOptions: {}, ...toPromotionCodeContent(code), ...terms };
  const row = tx.create(PromotionCode, { ...content, ...columnsOf(code, origin), id });
  return created(PROMOTION_CODE, publish, row, origin.source);
}

const columnsOf = (
  { id, createdAt: processorCreatedAt }: CatalogSnapshot,
  { scope, eventAt, createdAt }: MirrorOrigin<string>,
) => ({
  ...scope,
  processorId: id,
  processorCreatedAt,
  processorUpdatedAt: eventAt,
  awaitsWebhook: eventAt === null,
  version: 1,
  sequence: 0,
  createdAt,
  deletedAt: null,
});

function created<Row extends CatalogRow, Snapshot extends CatalogSnapshot>(
  type: RecordType<Row, Snapshot>,
  publish: Publish,
  row: Row,
  source: Source,
): Mirrored<Row> {
  if (!isMirrored(row)) throw new Error(`The processor gave the ${type.name} no id.`);
  publishCreated(type, publish, row, source);
  return row;
}

/** Returns the id that a record had before a restored backup lost it. */
async function findLostId<Id extends string>(
  tx: EntityManager,
  { isTaken }: { readonly isTaken: (em: EntityManager, id: string) => Promise<boolean> },
  { named: [first], source }: MirrorOrigin<Id>,
): Promise<Id | undefined> {
  if (!first || !(await isLostByRestore(tx, source.at))) return undefined;
  return (await isTaken(tx, first.id)) ? undefined : first.id;
}
