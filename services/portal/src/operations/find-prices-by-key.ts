import { FindPricesByKey } from '@billing/contracts/rpc/calls';
import type { RpcClient } from '@billing/messaging/rpc';
import { idsByKey, resolvePriceKeys } from '@billing/service/price-keys';

/** Names the prices of a body by ids. */
export const bodyResolver = ({ rpc }: { readonly rpc: RpcClient }) =>
  resolvePriceKeys(async (scope, keys) => {
    const found = await rpc.call(FindPricesByKey, { ...scope, keys: [...keys] });
    return idsByKey(found.map(({ price }) => price));
  });
