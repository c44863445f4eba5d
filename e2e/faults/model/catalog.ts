import { foldByObject, withoutRoutingKeys, type StripeEvent } from './stripe-event.ts';

/** A product; null once it is deleted. */
export type ModelProduct = {
  readonly name: string;
  readonly isActive: boolean;
  readonly metadata: Readonly<Record<string, string>>;
} | null;

/** A price; null once it is deleted. */
export type ModelPrice = {
  readonly processorProductId: string;
  readonly isActive: boolean;
  readonly currency: string;
  readonly metadata: Readonly<Record<string, string>>;
} | null;

/** Returns products by Stripe id. The newest event wins; a deleted product stays deleted. */
export const foldProducts = (events: readonly StripeEvent[]): Map<string, ModelProduct> =>
  foldByObject<ModelProduct>(events, /^product\.(created|updated|deleted)$/, (state, { type, data: { object } }) =>
    state === null || type === 'product.deleted'
      ? null
      : { name: object.name, isActive: object.active, metadata: withoutRoutingKeys(object.metadata) },
  );

/** Returns prices by Stripe id. The newest event wins; a deleted price stays deleted. */
export const foldPrices = (events: readonly StripeEvent[]): Map<string, ModelPrice> =>
  foldByObject<ModelPrice>(events, /^price\.(created|updated|deleted)$/, (state, { type, data: { object } }) =>
    state === null || type === 'price.deleted'
      ? null
      : {
          processorProductId: object.product,
          isActive: object.active,
          currency: object.currency,
          metadata: withoutRoutingKeys(object.metadata),
        },
  );
