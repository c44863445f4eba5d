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
import { price } from '@billing/contracts/resources/price';
import { product } from '@billing/contracts/resources/product';
import type { Processor } from '@billing/processor/port';
import { readPrice, readProduct } from '@billing/processor/snapshots/catalog';
import { readCoupon, readPromotionCode } from '@billing/processor/snapshots/discounts';
import { mirroredRows, type Mirrored, type MirroredRow, type MirroredRows } from '@billing/service/mirrored-rows';
import type { Resource } from '@billing/service/publish-resource';
import type { Changes } from '#domain/changes.ts';
import { toCouponContent, toCouponState, toPromotionCodeContent, toPromotionCodeState } from '#domain/discount.ts';
import { toContent as toPriceContent, toState as toPriceState } from '#domain/price.ts';
import { toContent as toProductContent, toState as toProductState } from '#domain/product.ts';
import { Coupon } from '#persistence/coupon.entity.ts';
import { Price, toResource as toPriceResource } from '#persistence/price.entity.ts';
import { Product, toResource as toProductResource } from '#persistence/product.entity.ts';
import { PromotionCode } from '#persistence/promotion-code.entity.ts';
import { updateProcessorPrice } from './update-processor-price.ts';

/** The row of a record that the processor has too. */
export interface CatalogRow extends MirroredRow {
  readonly metadata: Record<string, string>;
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
export interface RecordType<Row extends CatalogRow, Snapshot extends CatalogSnapshot> {
  readonly name: 'product' | 'price' | 'coupon' | 'promotion_code';
  readonly rows: MirroredRows<Row>;
  /** The processor's events about it. */
  readonly events: readonly ProcessorEventType[];
  readonly created: EventType;
  readonly updated: EventType;
  readonly deleted: EventType;
  /** Parses an object of the processor. */
  readonly read: (object: unknown) => Snapshot;
  /** Returns the fields that an event may change, as we store them. */
  readonly toContent: (snapshot: Snapshot) => Partial<Row>;
  /** Returns a record as events carry it. */
  readonly toState: (row: Mirrored<Row>) => unknown;
  /** For records whose changes are events for tenants. */
  readonly resource?: {
    readonly type: 'product' | 'price';
    /** Returns a record as callers see it, as JSON. */
    readonly toJson: (row: Mirrored<Row>) => Resource;
  };
  readonly find: (processor: Processor, processorId: string) => Promise<Snapshot>;
}

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

/** The processor deletes no price and no product that has prices. */
const archived = { isActive: false } as const;

export const PRODUCT: UpdatableType<Product, ProductSnapshot> & DeletableType<Product, ProductSnapshot> = {
  name: 'product',
  events: ['product.created', 'product.updated', 'product.deleted'],
  rows: mirroredRows(Product, 'product'),
  created: ProductCreated,
  updated: ProductUpdated,
  deleted: ProductDeleted,
  read: readProduct,
  toContent: toProductContent,
  toState: toProductState,
  resource: { type: 'product', toJson: row => product.encode(toProductResource(row)) },
  find: (processor, id) => processor.findProduct(id),
  update: (processor, id, changes, key) => processor.updateProduct(id, changes, key),
  remove: (processor, id, key) => processor.updateProduct(id, archived, key),
  isRemoved: ({ isActive }) => !isActive,
};

export const PRICE: UpdatableType<Price, PriceSnapshot> & DeletableType<Price, PriceSnapshot> = {
  name: 'price',
  events: ['price.created', 'price.updated', 'price.deleted'],
  rows: mirroredRows(Price, 'price'),
  created: PriceCreated,
  updated: PriceUpdated,
  deleted: PriceDeleted,
  read: readPrice,
  toContent: toPriceContent,
  toState: toPriceState,
  resource: { type: 'price', toJson: row => price.encode(toPriceResource(row)) },
  find: (processor, id) => processor.findPrice(id),
  update: updateProcessorPrice,
  remove: (processor, id, key) => updateProcessorPrice(processor, id, archived, key),
  isRemoved: ({ isActive }) => !isActive,
};

export const COUPON: DeletableType<Coupon, CouponSnapshot> = {
  name: 'coupon',
  events: ['coupon.created', 'coupon.updated', 'coupon.deleted'],
  rows: mirroredRows(Coupon, 'coupon'),
  created: CouponSaved,
  updated: CouponSaved,
  deleted: CouponSaved,
  read: readCoupon,
  toContent: toCouponContent,
  toState: toCouponState,
  find: (processor, id) => processor.findCoupon(id),
  remove: (processor, id) => processor.deleteCoupon(id),
  isRemoved: () => false,
};

export const PROMOTION_CODE: UpdatableType<PromotionCode, PromotionCodeSnapshot> = {
  name: 'promotion_code',
  events: ['promotion_code.created', 'promotion_code.updated'],
  rows: mirroredRows(PromotionCode, 'promotion_code'),
  created: PromotionCodeSaved,
  updated: PromotionCodeSaved,
  deleted: PromotionCodeSaved,
  read: readPromotionCode,
  toContent: toPromotionCodeContent,
  toState: toPromotionCodeState,
  find: (processor, id) => processor.findPromotionCode(id),
  update: (processor, id, changes, key) => processor.updatePromotionCode(id, changes, key),
};
