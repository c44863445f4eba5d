import { PriceId, type ProjectScope } from '@billing/contracts/ids';
import type { Consumer } from '@billing/messaging/consumer/consumer';
import type { PriceSnapshot } from '@billing/processor/port';
import { namedProductIds } from '#operations/create-product.ts';
import { mirrorPrice, mirrorProduct } from '#operations/mirror-record.ts';
import { PRICE, PRODUCT } from '#operations/record-types.ts';
import { followChildren } from './follow-children.ts';
import type { FollowDependencies } from './follow-records.ts';

/** Follows the processor's prices. New ones are those of the project's products, which are added with them. */
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
      moreOf: () => ({}),
      mirrorParent: mirrorProduct,
      mirror: (tx, publish, price, origin, { parent: { id: productId } }) =>
        mirrorPrice(tx, publish, price, { ...origin, productId }),
    },
    dependencies,
  );
