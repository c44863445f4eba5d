import { PriceId, type ProjectScope } from '@billing/contracts/ids';
import type { Consumer } from '@billing/messaging/consumer/consumer';
import type { PriceSnapshot } from '@billing/processor/port';
import { nullIfMissing } from '@billing/processor/errors';
import { namedProductIds } from '#operations/create-product.ts';
import { mirrorPrice, mirrorProduct } from '#operations/mirror-record.ts';
import { PRICE, PRODUCT } from '#operations/record-types.ts';
import { followChildren } from './follow-children.ts';
import type { FollowDependencies } from './follow-records.ts';

/** What events do not say of a price. */
interface Unsaid {
  readonly currencyOptions: NonNullable<PriceSnapshot['currencyOptions']>;
  /** The event name of its meter. */
  readonly meter: string | null;
}

/**
 * Follows the processor's prices. New ones are those of the project's products, which are added with them. Events do not say what
 * they cost in other currencies, nor the name of their meter, so that new ones are read.
 */
export const priceEvents = (dependencies: FollowDependencies): Consumer =>
  followChildren(
    {
      type: PRICE,
      parentType: PRODUCT,
      namedIds: (scope: ProjectScope, { metadata }: PriceSnapshot) => {
        const id = PriceId.schema.safeParse(metadata['priceId']).data;
        return id === undefined ? [] : [{ scope, id }];
      },
      namedParentIds: namedProductIds,
      parentIdOf: ({ productId }) => productId,
      moreOf: ({ currencyOptions, meterId }): Unsaid | undefined =>
        currencyOptions && meterId === null ? { currencyOptions, meter: null } : undefined,
      findMore: async ({ teamId }, { id, meterId }): Promise<Unsaid> => {
        const processor = await dependencies.processors.of(teamId);
        const price = await processor.findPrice(id).catch(nullIfMissing);
        const meter = meterId && (await processor.findEventName(meterId).catch(nullIfMissing));
        return { currencyOptions: price?.currencyOptions ?? new Map(), meter };
      },
      mirrorParent: mirrorProduct,
      mirror: (tx, publish, price, origin, { parent: { id: productId }, more: { currencyOptions, meter } }) =>
        mirrorPrice(tx, publish, { ...price, currencyOptions, meter }, { ...origin, productId }),
    },
    dependencies,
  );
