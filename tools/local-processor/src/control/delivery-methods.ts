import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { invalidRequest } from '../api/errors.ts';
import { defined } from '../api/unit-of-work.ts';
import { inOrder } from '../domain/shuffle.ts';
import { existing } from '../objects/finding.ts';
import type { DeliveryRules } from '../store/account.ts';
import { method } from './method.ts';

const DELIVERY_TIMEOUT_MS = 15_000;
const MAX_WINDOW_MS = 600_000;

const order = z.union([z.enum(['created', 'reversed']), z.strictObject({ seed: z.int() })]).default('created');
const rules = z.strictObject({
  hold: z.boolean().optional(),
  copies: z.int().min(1).max(20).optional(),
  shuffle: z
    .strictObject({ seed: z.int(), windowMs: z.int().min(1).max(MAX_WINDOW_MS) })
    .nullable()
    .optional(),
  dropNext: z.int().min(0).max(1_000_000).optional(),
  types: z.array(z.string()).min(1).nullable().optional(),
});
const filter = z.strictObject({
  event: z.string().optional(),
  status: z.enum(['scheduled', 'held', 'delivered', 'failed', 'dropped']).optional(),
});

/** How webhooks are delivered. */
export const deliveryMethods = {
  /** Changes how webhooks are delivered; omitted rules stay unchanged. */
  setDeliveryRules: method(z.tuple([rules]), ({ account }, changes) => {
    account.change({ rules: { ...account.state.rules, ...defined<DeliveryRules>(changes) } });
    return account.state.rules;
  }),

  /** Sends held webhooks. Returns their number. */
  release: method(z.tuple([order]), ({ account, processor }, by) => processor.deliveries.release(account, by)),

  /** Returns deliveries, oldest first. */
  deliveries: method(z.tuple([filter.default({})]), ({ account: { tables } }, { event, status }) => {
    const rows = event === undefined ? tables.delivery.newestFirst() : tables.delivery.withField('event', event);
    return rows.filter(row => status === undefined || row.status === status).toReversed();
  }),

  /** Waits until no delivery is scheduled. Throws after 15 s with the first delivery that is not accepted. */
  waitForDeliveries: method(z.tuple([]), async ({ account }) => {
    const deadline = Date.now() + DELIVERY_TIMEOUT_MS;
    for (;;) {
      const pending = account.tables.delivery.newestFirst().filter(({ status }) => status === 'scheduled');
      if (pending.length === 0) return;
      if (Date.now() > deadline)
        throw invalidRequest(`${pending.length} webhooks are still not accepted, one: ${JSON.stringify(pending[0])}`);
      await sleep(20);
    }
  }),

  /** Sends one event again, `copies` times to every subscribed endpoint. */
  resend: method(z.tuple([z.string(), z.int().min(1).max(100).default(1)]), ({ account, processor, run }, id, copies) =>
    processor.deliveries.resend(account, [run(unit => existing(unit, 'event', id))], copies),
  ),

  /** Sends all events, or those of the given types, again in the given order. */
  resendAll: method(z.tuple([order, z.array(z.string()).optional()]), ({ account, processor }, by, types) => {
    const wanted = account.tables.event.newestFirst().filter(({ type }) => !types || types.includes(type));
    return processor.deliveries.resend(account, inOrder(wanted, by));
  }),
};
