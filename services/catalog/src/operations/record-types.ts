import {
  PriceCreated,
  PriceDeleted,
  PriceUpdated,
  ProductCreated,
  ProductDeleted,
  ProductUpdated,
} from '@billing/contracts/events/catalog';
import type { EventType } from '@billing/contracts/event';
import { price } from '@billing/contracts/resources/price';
import { product } from '@billing/contracts/resources/product';
import type { Processor } from '@billing/processor/port';
import { readPrice, readProduct } from '@billing/processor/snapshots/catalog';
import { mirroredRows, type Mirrored, type MirroredRow, type MirroredRows } from '@billing/service/mirrored-rows';
import type { Resource } from '@billing/service/publish-resource';
import type { Changes } from '#domain/changes.ts';
import { toContent as toPriceContent, toState as toPriceState } from '#domain/price.ts';
import { toContent as toProductContent, toState as toProductState } from '#domain/product.ts';
import { Price, toResource as toPriceResource } from '#persistence/price.entity.ts';
import { Product, toResource as toProductResource } from '#persistence/product.entity.ts';
import { updateProcessorPrice } from './update-processor-price.ts';

/** The row of a product or a price. */
export interface CatalogRow extends MirroredRow {
  readonly isActive: boolean;
  readonly metadata: Record<string, string>;
  processorUpdatedAt: Date | null;
  awaitsWebhook: boolean;
  version: number;
  sequence: number;
}

/** A product or price of the processor. */
export interface CatalogSnapshot {
  readonly id: string;
  readonly isActive: boolean;
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdAt: Date;
}

/** What tells products and prices apart where they are treated alike. */
export interface RecordType<Row extends CatalogRow, Snapshot extends CatalogSnapshot> {
  readonly name: 'product' | 'price';
  readonly rows: MirroredRows<Row>;
  readonly created: EventType;
  readonly updated: EventType;
  readonly deleted: EventType;
  /** Parses an object of the processor. */
  readonly read: (object: unknown) => Snapshot;
  /** Returns the fields that an event may change, as we store them. */
  readonly toContent: (snapshot: Snapshot) => Partial<Row>;
  /** Returns a record as events carry it. */
  readonly toState: (row: Mirrored<Row>) => unknown;
  /** Returns a record as callers see it, as JSON. */
  readonly toJson: (row: Mirrored<Row>) => Resource;
  readonly find: (processor: Processor, processorId: string) => Promise<Snapshot>;
  readonly update: (processor: Processor, processorId: string, changes: Changes, key: string) => Promise<Snapshot>;
}

const recordType = <Row extends CatalogRow, Snapshot extends CatalogSnapshot>(
  type: RecordType<Row, Snapshot>,
): RecordType<Row, Snapshot> => type;

export const PRODUCT = recordType({
  name: 'product',
  rows: mirroredRows(Product, 'product'),
  created: ProductCreated,
  updated: ProductUpdated,
  deleted: ProductDeleted,
  read: readProduct,
  toContent: toProductContent,
  toState: toProductState,
  toJson: row => product.encode(toProductResource(row)),
  find: (processor, id) => processor.findProduct(id),
  update: (processor, id, changes, key) => processor.updateProduct(id, changes, key),
});

export const PRICE = recordType({
  name: 'price',
  rows: mirroredRows(Price, 'price'),
  created: PriceCreated,
  updated: PriceUpdated,
  deleted: PriceDeleted,
  read: readPrice,
  toContent: toPriceContent,
  toState: toPriceState,
  toJson: row => price.encode(toPriceResource(row)),
  find: (processor, id) => processor.findPrice(id),
  update: updateProcessorPrice,
});
