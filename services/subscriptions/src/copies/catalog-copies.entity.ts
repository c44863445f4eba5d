import { defineEntity, p } from '@mikro-orm/postgresql';
import type { CouponId, PriceId, ProductId, ProjectId, PromotionCodeId, TeamId } from '@billing/contracts/ids';
import type { CurrencyOptions, PriceType } from '@billing/contracts/resources/price';

const ProductCopySchema = defineEntity({
  name: 'ProductCopy',
  tableName: 'product_copies',
  properties: {
    id: p.text().$type<ProductId>().primary(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().$type<ProjectId>(),
    name: p.text(),
    isActive: p.boolean(),
    /** Of the newest state that an event or a reply showed. */
    version: p.integer(),
    deletedAt: p.datetime().strictNullable(),
  },
});

/** A copy of what this service needs of a product; the catalog owns it. */
export class ProductCopy extends ProductCopySchema.class {}
ProductCopySchema.setClass(ProductCopy);

const PriceCopySchema = defineEntity({
  name: 'PriceCopy',
  tableName: 'price_copies',
  indexes: [
    { name: 'price_copies_processor_id', properties: ['teamId', 'projectId', 'processorPriceId'] },
    { name: 'price_copies_key', properties: ['teamId', 'projectId', 'key'] },
  ],
  properties: {
    id: p.text().$type<PriceId>().primary(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().$type<ProjectId>(),
    productId: p.text().$type<ProductId>(),
    /** Null without one, and in a copy from before it was copied, like `createdAt`. */
    key: p.text().strictNullable().fieldName('catalog_key'),
    createdAt: p.datetime().strictNullable(),
    type: p.text().$type<PriceType>(),
    isActive: p.boolean(),
    /** Null in a copy from before it was copied, like the next one. */
    currency: p.text().strictNullable(),
    /** What it costs in other currencies, by currency. */
    currencyOptions: p.json<CurrencyOptions | null>().strictNullable(),
    /** Billed by usage, not by quantity. */
    metered: p.boolean(),
    processorPriceId: p.text(),
    /** Of the newest state that an event or a reply showed. */
    version: p.integer(),
    deletedAt: p.datetime().strictNullable(),
  },
});

/** A copy of what this service needs of a price; the catalog owns it. Subscriptions may use a deleted one. */
export class PriceCopy extends PriceCopySchema.class {}
PriceCopySchema.setClass(PriceCopy);

const DiscountCopySchema = defineEntity({
  name: 'DiscountCopy',
  tableName: 'discount_copies',
  indexes: [{ name: 'discount_copies_processor_id', properties: ['teamId', 'projectId', 'kind', 'processorId'] }],
  properties: {
    id: p.text().$type<CouponId | PromotionCodeId>().primary(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().$type<ProjectId>(),
    kind: p.text().$type<DiscountKind>(),
    processorId: p.text(),
    /** Of the newest state that an event showed. */
    version: p.integer(),
    deletedAt: p.datetime().strictNullable(),
  },
});

export type DiscountKind = 'coupon' | 'promotion_code';

/** A copy of what this service needs of a coupon or a promotion code; the catalog owns it. Subscriptions keep a deleted one. */
export class DiscountCopy extends DiscountCopySchema.class {}
DiscountCopySchema.setClass(DiscountCopy);
