import { z } from 'zod';
import { ProjectId, TeamId } from '../ids.ts';
import type { ServiceName } from '../operation.ts';
import { fieldDifference, syncType, type SyncType } from '../resources/sync.ts';
import { defineRpc } from '../rpc.ts';

/** The service that records each type. */
export const SYNC_OWNERS = {
  product: 'catalog',
  price: 'catalog',
  coupon: 'catalog',
  promotion_code: 'catalog',
  customer: 'customers',
  subscription: 'subscriptions',
  invoice: 'subscriptions',
  payment: 'subscriptions',
} as const satisfies Record<SyncType, ServiceName>;

type Owner = (typeof SYNC_OWNERS)[SyncType];

const scope = { teamId: TeamId.schema, projectId: ProjectId.schema, type: syncType };

/** An object of the processor; one that it does not have any more is `{ id, deleted: true }`. */
const comparedObject = z.looseObject({ id: z.string() });
export type ComparedObject = z.output<typeof comparedObject>;

/** How an object compares with the project's record of it. */
export const comparison = z.object({
  /**
   * `extra`: there is a live record of an object that the processor does not have. `deleted`: the record was deleted here,
   * and no event revives it. `taken`: another record has its e-mail.
   */
  outcome: z.enum(['same', 'missing', 'different', 'extra', 'deleted', 'taken']),
  /** Our id; null where there is no record. */
  id: z.string().nullable(),
  fields: z.array(fieldDifference),
  /** Whether the record that it belongs to, a price's product, a code's coupon or a subscription's customer, exists here. */
  hasParent: z.boolean(),
  /** Whether another project of the team has a live record of it. */
  isHeldElsewhere: z.boolean(),
});
export type Comparison = z.output<typeof comparison>;

const compareRpc = (owner: Owner) =>
  defineRpc(owner, 'compare-objects', z.object({ ...scope, objects: z.array(comparedObject) }), z.array(comparison));

const listRpc = (owner: Owner) =>
  defineRpc(
    owner,
    'list-live-records',
    z.object({ ...scope, after: z.string().nullable(), limit: z.int().min(1).max(1_000) }),
    z.object({
      records: z.array(z.object({ id: z.string(), processorId: z.string() })),
      next: z.string().nullable(),
    }),
  );

/**
 * Compares objects of the processor with the project's records, as their events would be applied: one comparison for each
 * object, in their order. Changes nothing.
 */
export const CompareObjects = {
  catalog: compareRpc('catalog'),
  customers: compareRpc('customers'),
  subscriptions: compareRpc('subscriptions'),
};

/** Lists a page of a project's records that are neither deleted nor ended: those after the record `after`. */
export const ListLiveRecords = {
  catalog: listRpc('catalog'),
  customers: listRpc('customers'),
  subscriptions: listRpc('subscriptions'),
};
