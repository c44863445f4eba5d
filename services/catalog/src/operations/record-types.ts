import {
  PriceCreated,
  PriceDeleted,
  PriceUpdated,
  ProductCreated,
  ProductDeleted,
  ProductUpdated,
} from '@billing/contracts/events/catalog';
import { CouponSaved, PromotionCodeSaved } from '@billing/contracts/events/discounts';
import type { EventType } from '@billing/contracts/event';
import type { ProcessorEventType } from '@billing/contracts/processor-events';
import type { Processor } from '@billing/processor/port';
import { readPrice, readProduct } from '@billing/processor/snapshots/catalog';
import { readCoupon, readPromotionCode } from '@billing/processor/snapshots/discounts';
import { mirroredRows, type Mirrored, type MirroredRow, type MirroredRows } from '@billing/service/mirrored-rows';
import type { RecordKind, Source } from '@billing/service/save-record';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Publish } from '@billing/messaging/outbox';
import type { Changes } from '#domain/changes.ts';
import { toCouponContent, toCouponState, toPromotionCodeContent, toPromotionCodeState } from '#domain/discount.ts';
import { toContent as toPriceContent, toState as toPriceState } from '#domain/price.ts';
import { toContent as toProductContent, toState as toProductState } from '#domain/product.ts';
import { Coupon } from '#persistence/coupon.entity.ts';
import { Price } from '#persistence/price.entity.ts';
import { Product } from '#persistence/product.entity.ts';
import { PromotionCode } from '#persistence/promotion-code.entity.ts';
import { movingChildren } from './move-children.ts';
import { updateProcessorPrice } from './update-processor-price.ts';

/** The row of a record that the processor has too. */
export interface CatalogRow extends MirroredRow {
  readonly metadata: Record<string, string>;
  /** A promotion code has none. */
  readonly key?: string | null;
  /** A coupon is active until it is deleted. */
  readonly isActive?: boolean;
  processorUpdatedAt: Date | null;
  awaitsWebhook: boolean;
  version: number;
  sequence: number;
}

/** A record of the processor. */
export interface CatalogSnapshot {
  readonly id: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdAt: Date;
}

/** What tells the records of the catalog apart where they are treated alike. */
export interface RecordType<Row extends CatalogRow, Snapshot extends CatalogSnapshot> extends RecordKind<
  Mirrored<Row>,
  object
> {
  readonly name: 'product' | 'price' | 'coupon' | 'promotion_code';
  readonly rows: MirroredRows<Row>;
  /** The processor's events about it. */
  readonly events: readonly ProcessorEventType[];
  /** Parses an object of the processor. */
  readonly read: (object: unknown) => Snapshot;
  /** Whether an object contains all of its content; all do when it is absent. One that does not may have changed otherwise. */
  readonly isWhole?: (snapshot: Snapshot) => boolean;
  /** Returns the fields that an event may change, as we store them. */
  readonly toContent: (snapshot: Snapshot) => Partial<Row>;
  /** Whether a record has no `isActive`. */
  readonly isAlwaysActive?: boolean;
  readonly find: (processor: Processor, processorId: string) => Promise<Snapshot>;
  /** Gives a record what belongs to it, and was taken to be of another one with the same id. */
  readonly moveChildren?: MoveChildren<Row>;
}

type MoveChildren<Row extends CatalogRow> = (
  tx: EntityManager,
  publish: Publish,
  records: { readonly others: readonly Mirrored<Row>[]; readonly added: Mirrored<Row>; readonly source: Source },
) => Promise<void>;

/** A record that callers change. */
export interface UpdatableType<Row extends CatalogRow, Snapshot extends CatalogSnapshot> extends RecordType<
  Row,
  Snapshot
> {
  readonly update: (processor: Processor, processorId: string, changes: Changes, key: string) => Promise<Snapshot>;
}

/** A record that callers delete. */
export interface DeletableType<Row extends CatalogRow, Snapshot extends CatalogSnapshot> extends RecordType<
  Row,
  Snapshot
> {
  /** Archives it at the processor, or deletes it there. */
  readonly remove: (processor: Processor, processorId: string, key: string) => Promise<unknown>;
  /** Whether one that the processor has is archived. */
  readonly isRemoved: (snapshot: Snapshot) => boolean;
}

type ProductSnapshot = ReturnType<typeof readProduct>;
type PriceSnapshot = ReturnType<typeof readPrice>;
type CouponSnapshot = ReturnType<typeof readCoupon>;
type PromotionCodeSnapshot = ReturnType<typeof readPromotionCode>;

/** Returns the event of a change of a record that can be created, changed and deleted. */
const changedBy =
  (created: EventType, updated: EventType, deleted: EventType) =>
  ({ deletedAt }: Pick<MirroredRow, 'deletedAt'>, before: object | null): EventType =>
    before === null ? created : deletedAt ? deleted : updated;

/** The processor deletes no price and no product that has prices. */
const archived = { isActive: false } as const;

export const PRODUCT: UpdatableType<Product, ProductSnapshot> & DeletableType<Product, ProductSnapshot> = {
  name: 'product',
  events: ['product.created', 'product.updated', 'product.deleted'],
  rows: mirroredRows(Product, 'product'),
  object: 'product',
  eventOf: changedBy(ProductCreated, ProductUpdated, ProductDeleted),
  read: readProduct,
  toContent: toProductContent,
  toState: toProductState,
  find: (processor, id) => processor.findProduct(id),
  update: (processor, id, changes, key) => processor.updateProduct(id, changes, key),
  remove: (processor, id, key) => processor.updateProduct(id, archived, key),
  isRemoved: ({ isActive }) => !isActive,
  moveChildren: movingChildren(() => PRICE, 'productId'),
};

export const PRICE: UpdatableType<Price, PriceSnapshot> & DeletableType<Price, PriceSnapshot> = {
  name: 'price',
  events: ['price.created', 'price.updated', 'price.deleted'],
  rows: mirroredRows(Price, 'price'),
  object: 'price',
  eventOf: changedBy(PriceCreated, PriceUpdated, PriceDeleted),
  read: readPrice,
  isWhole: ({ currencyOptions }) => currencyOptions !== null,
  toContent: toPriceContent,
  toState: toPriceState,
  find: (processor, id) => processor.findPrice(id),
  update: updateProcessorPrice,
  remove: (processor, id, key) => updateProcessorPrice(processor, id, archived, key),
  isRemoved: ({ isActive }) => !isActive,
};

export const COUPON: UpdatableType<Coupon, CouponSnapshot> & DeletableType<Coupon, CouponSnapshot> = {
  name: 'coupon',
  events: ['coupon.created', 'coupon.updated', 'coupon.deleted'],
  rows: mirroredRows(Coupon, 'coupon'),
  eventOf: () => CouponSaved,
  read: readCoupon,
  toContent: toCouponContent,
  toState: toCouponState,
  isAlwaysActive: true,
  find: (processor, id) => processor.findCoupon(id),
  update: (processor, id, changes, key) => processor.updateCoupon(id, changes, key),
  remove: (processor, id) => processor.deleteCoupon(id),
  isRemoved: () => false,
  moveChildren: movingChildren(() => PROMOTION_CODE, 'couponId'),
};

export const PROMOTION_CODE: UpdatableType<PromotionCode, PromotionCodeSnapshot> = {
  name: 'promotion_code',
  events: ['promotion_code.created', 'promotion_code.updated'],
  rows: mirroredRows(PromotionCode, 'promotion_code'),
  eventOf: () => PromotionCodeSaved,
  read: readPromotionCode,
  toContent: toPromotionCodeContent,
  toState: toPromotionCodeState,
  find: (processor, id) => processor.findPromotionCode(id),
  update: (processor, id, changes, key) => processor.updatePromotionCode(id, changes, key),
};
