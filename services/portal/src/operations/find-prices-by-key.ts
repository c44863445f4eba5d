import { FindPricesByKey } from '@billing/contracts/rpc/calls';
import type { RpcClient } from '@billing/messaging/rpc';
import { resolvePriceKeys } from '@billing/service/price-keys';

/** Names the prices of a body by ids. */
export const bodyResolver = ({ rpc }: { readonly rpc: RpcClient }) =>
  resolvePriceKeys(async (scope, keys) => {
    const found = await rpc.call(FindPricesByKey, { ...scope, keys: [...keys] });
    return new Map(found.flatMap(({ price: { key, id } }) => (key === null ? [] : [[key, id] as const])));
  });
