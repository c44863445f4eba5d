import type { EntityManager } from '@mikro-orm/postgresql';
import { PriceId, ProductId, type ProjectScope } from '@billing/contracts/ids';
import type { EventCause } from '@billing/contracts/resources/event';
import type { ProjectObject } from '@billing/database/project-objects';
import type { Publish } from '@billing/messaging/outbox';
import type { PriceSnapshot, ProductSnapshot } from '@billing/processor/port';
import { idOfMirrored } from '@billing/service/derived-id';
import { isMirrored, type Mirrored } from '@billing/service/mirrored-rows';
import { isLostByRestore } from '@billing/service/restores';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';
import { toContent as toPriceContent, toTerms } from '#domain/price.ts';
import { toContent as toProductContent } from '#domain/product.ts';
import { Price } from '#persistence/price.entity.ts';
import { Product } from '#persistence/product.entity.ts';
import { PRICE, PRODUCT, type CatalogRow, type CatalogSnapshot, type RecordType } from './record-types.ts';
import { publishCreated, type Change } from './save-record.ts';

interface Source<Id extends string> {
  readonly scope: ProjectScope;
  /** Our ids of the record, if it was created here. */
  readonly named: readonly ProjectObject<Id>[];
  /** When the event happened that led here. */
  readonly at: Date;
  /**
   * When the event happened that carried the record; null when it was read from the processor. Then its events are still to
   * come, and may be older than what was read.
   */
  readonly eventAt: Date | null;
  readonly createdAt: Date;
  readonly trace: TraceCarrier;
  readonly cause: EventCause;
}

/** Adds a product that was created at the processor. */
export async function mirrorProduct(
  tx: EntityManager,
  publish: Publish,
  product: ProductSnapshot,
  source: Source<ProductId>,
): Promise<Mirrored<Product>> {
  const id = (await findLostId(tx, PRODUCT.rows, source)) ?? idOfMirrored(ProductId, source.scope, product.id);
  const row = tx.create(Product, { ...toProductContent(product), ...columnsOf(product, source), id });
  return created(PRODUCT, publish, row, source);
}

/** Adds a price that was created at the processor. */
export async function mirrorPrice(
  tx: EntityManager,
  publish: Publish,
  price: PriceSnapshot,
  { productId, ...source }: Source<PriceId> & { readonly productId: ProductId },
): Promise<Mirrored<Price>> {
  const id = (await findLostId(tx, PRICE.rows, source)) ?? idOfMirrored(PriceId, source.scope, price.id);
  const content = { ...toPriceContent(price), ...toTerms(price), productId };
  const row = tx.create(Price, { ...content, ...columnsOf(price, source), id });
  return created(PRICE, publish, row, source);
}

const columnsOf = ({ id }: CatalogSnapshot, { scope, eventAt, createdAt }: Source<string>) => ({
  ...scope,
  processorId: id,
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
  change: Change,
): Mirrored<Row> {
  if (!isMirrored(row)) throw new Error(`The processor gave the ${type.name} no id.`);
  publishCreated(type, publish, row, change);
  return row;
}

/** Returns the id that a record had before a restored backup lost it. */
async function findLostId<Id extends string>(
  tx: EntityManager,
  { isTaken }: { readonly isTaken: (em: EntityManager, id: string) => Promise<boolean> },
  { named: [first], at }: Source<Id>,
): Promise<Id | undefined> {
  if (!first || !(await isLostByRestore(tx, at))) return undefined;
  return (await isTaken(tx, first.id)) ? undefined : first.id;
}
