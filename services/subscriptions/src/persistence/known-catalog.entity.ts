import { defineEntity, p } from '@mikro-orm/postgresql';
import type { PriceId, ProductId, ProjectId, TeamId } from '@billing/contracts/ids';
import type { PriceType } from '@billing/contracts/resources/price';

const KnownProductSchema = defineEntity({
  name: 'KnownProduct',
  tableName: 'known_products',
  properties: {
    id: p.text().$type<ProductId>().primary(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().$type<ProjectId>(),
    name: p.text(),
    isActive: p.boolean(),
    version: p.integer(),
    deletedAt: p.datetime().nullable(),
  },
});

/** Our copy of a product, as far as we need it; the catalog owns the original. */
export class KnownProduct extends KnownProductSchema.class {}
KnownProductSchema.setClass(KnownProduct);

const KnownPriceSchema = defineEntity({
  name: 'KnownPrice',
  tableName: 'known_prices',
  indexes: [{ name: 'known_prices_processor_id', properties: ['teamId', 'projectId', 'processorPriceId'] }],
  properties: {
    id: p.text().$type<PriceId>().primary(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().$type<ProjectId>(),
    productId: p.text().$type<ProductId>(),
    type: p.text().$type<PriceType>(),
    isActive: p.boolean(),
    processorPriceId: p.text(),
    version: p.integer(),
    deletedAt: p.datetime().nullable(),
  },
});

/** Our copy of a price, as far as we need it; the catalog owns the original. A deleted one still names its subscriptions. */
export class KnownPrice extends KnownPriceSchema.class {}
KnownPriceSchema.setClass(KnownPrice);
