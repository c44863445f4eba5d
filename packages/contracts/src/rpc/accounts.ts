import { z } from 'zod';
import { TeamId } from '../ids.ts';
import type { ServiceName } from '../operation.ts';
import { defineRpc } from '../rpc.ts';

const countRpc = (owner: ServiceName) =>
  defineRpc(
    owner,
    'count-mirrored',
    z.object({ teamId: TeamId.schema, fence: z.int().nullable() }),
    z.object({ records: z.record(z.string(), z.int()), operations: z.int() }),
  );

/** Counts the team's living subscriptions whose tax the processor stopped computing; up to 10,000. */
export const CountStoppedTax = defineRpc(
  'subscriptions',
  'count-stopped-tax',
  z.object({ teamId: TeamId.schema }),
  z.object({ subscriptions: z.int() }),
);

/**
 * Counts what a service records of a team's account, by kind, and its writes to the account that are not finished; each up to
 * 10,000. With a `fence`, every write that is not counted is sent with credentials of this version or a newer one.
 */
export const CountMirrored = {
  catalog: countRpc('catalog'),
  customers: countRpc('customers'),
  subscriptions: countRpc('subscriptions'),
  referrals: countRpc('referrals'),
};
