import { PriceId, type ProjectScope } from '@billing/contracts/ids';
import type { Consumer } from '@billing/messaging/consumer/consumer';
import type { PriceSnapshot } from '@billing/processor/port';
import { nullIfMissing } from '@billing/processor/errors';
import { namedProductIds } from '#operations/create-product.ts';
import { mirrorPrice, mirrorProduct } from '#operations/mirror-record.ts';
import { PRICE, PRODUCT } from '#operations/record-types.ts';
import { followChildren } from './follow-children.ts';
import type { FollowDependencies } from './follow-records.ts';

const NONE: NonNullable<PriceSnapshot['currencyOptions']> = new Map();

/**
 * Follows the processor's prices. New ones are those of the project's products, which are added with them. Events do not say what
 * they cost in other currencies, so that new ones are read.
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
      moreOf: price => price.currencyOptions ?? undefined,
      findMore: async ({ teamId }, { id }) => {
        const processor = await dependencies.processors.of(teamId);
        return (await processor.findPrice(id).catch(nullIfMissing))?.currencyOptions ?? NONE;
      },
      mirrorParent: mirrorProduct,
      mirror: (tx, publish, price, origin, { parent: { id: productId }, more: currencyOptions }) =>
        mirrorPrice(tx, publish, { ...price, currencyOptions }, { ...origin, productId }),
    },
    dependencies,
  );
