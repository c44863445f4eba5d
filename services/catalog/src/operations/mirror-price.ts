import type { EntityManager } from '@mikro-orm/postgresql';
import { PriceId, type ProductId, type ProjectScope } from '@billing/contracts/ids';
import type { Publish } from '@billing/messaging/outbox';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';
import type { PriceSnapshot } from '@billing/processor/port';
import { idOfMirrored } from '@billing/service/derived-id';
import { toContent, toTerms } from '#domain/price.ts';
import { isMirrored, Price, type MirroredPrice } from '#persistence/price.entity.ts';
import { publishCreated } from './save-price.ts';

interface Source {
  readonly productId: ProductId;
  /** When the event happened that carried the price. */
  readonly eventAt: Date;
  readonly createdAt: Date;
  /** The id that the price had before, if it was created here. */
  readonly id?: PriceId | undefined;
  readonly trace: TraceCarrier;
}

/** Adds a price that was created at the processor. */
export function mirrorPrice(
  tx: EntityManager,
  publish: Publish,
  scope: ProjectScope,
  snapshot: PriceSnapshot,
  { productId, eventAt, createdAt, trace, id = idOfMirrored(PriceId, scope, snapshot.id) }: Source,
): MirroredPrice {
  const price = tx.create(Price, {
    ...scope,
    ...toContent(snapshot),
    ...toTerms(snapshot),
    id,
    productId,
    processorPriceId: snapshot.id,
    processorUpdatedAt: eventAt,
    awaitsWebhook: false,
    version: 1,
    createdAt,
    deletedAt: null,
  });
  if (!isMirrored(price)) throw new Error('The processor gave the price no id.');
  publishCreated(publish, price, trace);
  return price;
}
