import type { Id } from '@billing/contracts/ids';

/** The id of what an operation makes, the same whenever it is run again; `operationKey` is a random UUID. */
export const idOfOperation = <const Prefix extends string>(prefix: Prefix, operationKey: string): Id<Prefix> =>
  `${prefix}_${operationKey.replaceAll('-', '')}`;
