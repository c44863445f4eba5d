import { z } from 'zod';
import { ALL_PERMISSIONS } from '../api/permissions.ts';
import { FAULT_MODES } from './faults.ts';

const MAX_DELAY_MS = 600_000;

const outcome = z.enum(['pay', 'decline']);

export const advanceClock = z.strictObject({
  seconds: z
    .int()
    .min(0)
    .max(10 * 366 * 86_400),
});
export const payment = z.strictObject({ outcome: outcome.default('pay') });
export const trialEnd = z.strictObject({ outcome: z.enum(['pay', 'decline', 'pause']).default('pay') });
export const giveUp = z.strictObject({ outcome: z.enum(['canceled', 'unpaid']).default('canceled') });
export const retries = z.strictObject({
  subscription: z.enum(['canceled', 'unpaid', 'past_due']),
  invoice: z.enum(['open', 'uncollectible']),
});
export const checkoutAction = z.strictObject({ action: z.enum(['pay', 'decline', 'pay-later']).default('pay') });
export const cardBehavior = z.strictObject({ declines: z.boolean(), authenticates: z.boolean().default(false) });
export const dispute = z.strictObject({ amount: z.int().min(1).optional(), reason: z.string().default('fraudulent') });
export const disputeOutcome = z.strictObject({ outcome: z.enum(['won', 'lost']) });
export const restrictedKey = z.strictObject({
  key: z.string().regex(/^rk_(test|live)_[A-Za-z0-9]{8,}$/),
  missing: z.array(z.enum(ALL_PERMISSIONS)),
});
export const past = z.strictObject({
  customers: z.int().min(1).max(100_000),
  seed: z.int().min(0),
  until: z.int().min(1_500_000_000).optional(),
});
export const noBody = z.strictObject({}).optional();

export const deliveryRules = z.strictObject({
  hold: z.boolean().optional(),
  copies: z.int().min(1).max(20).optional(),
  shuffle: z
    .strictObject({ seed: z.int(), windowMs: z.int().min(1).max(MAX_DELAY_MS) })
    .nullable()
    .optional(),
  dropNext: z.int().min(0).max(1_000_000).optional(),
  types: z.array(z.string()).min(1).nullable().optional(),
});

const order = z.union([z.enum(['created', 'reversed']), z.strictObject({ seed: z.int() })]);

export const release = z.strictObject({ order: order.default('created') });
export const resend = z.strictObject({ copies: z.int().min(1).max(100).default(1) });
export const resendAll = z.strictObject({ order: order.default('created'), types: z.array(z.string()).optional() });

export const fault = z.strictObject({
  method: z.enum(['GET', 'POST', 'DELETE']).optional(),
  path: z.string().startsWith('/').default('/v1/'),
  mode: z.enum(FAULT_MODES),
  times: z.int().min(1).max(1_000_000).default(1),
  delayMs: z.int().min(0).max(MAX_DELAY_MS).default(1_000),
  kept: z.boolean().default(true),
  shouldRetry: z.boolean().nullable().default(null),
  everyAccount: z.boolean().default(false),
});

export const deliveryFilter = z.strictObject({
  event: z.string().exactOptional(),
  status: z.enum(['scheduled', 'held', 'delivered', 'failed', 'dropped']).exactOptional(),
});

export type PastRequest = z.input<typeof past>;
export type Outcome = z.input<typeof outcome>;
export type CheckoutAction = z.output<typeof checkoutAction>['action'];
export type ReleaseOrder = z.input<typeof order>;
export type DeliveryRulesChange = z.input<typeof deliveryRules>;
export type FaultRequest = z.input<typeof fault>;
export type DeliveryFilter = z.input<typeof deliveryFilter>;
