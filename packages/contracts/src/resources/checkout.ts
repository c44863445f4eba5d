import { z } from 'zod';
import { CustomerId, PriceId } from '../ids.ts';
import { metadata } from '../metadata.ts';
import { webUrl } from '../text.ts';

export const CHECKOUT_MODES = ['subscription', 'payment'] as const;

export const checkoutCreate = z
  .strictObject({
    customerId: CustomerId.schema,
    priceId: PriceId.schema,
    quantity: z.int().min(1).max(999_999).default(1),
    /** May contain `{CHECKOUT_SESSION_ID}`, which the processor replaces. */
    successUrl: webUrl,
    cancelUrl: webUrl,
    mode: z.enum(CHECKOUT_MODES).default('subscription'),
    trialDays: z.int().min(1).max(730).optional(),
    metadata: metadata.default({}),
  })
  .refine(it => it.mode === 'subscription' || it.trialDays === undefined, {
    path: ['trialDays'],
    message: 'A trial needs subscription mode; omit it in payment mode.',
  });

export const checkoutSession = z.object({ sessionId: z.string(), url: z.string() });
