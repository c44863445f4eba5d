import { z } from 'zod';
import type { Account } from '../store/account.ts';

/** Since this version, subscription items contain the periods, and an invoice's `parent` contains its subscription. */
const BASIL = '2025-03-31';

/** Returns whether an API version (`2024-06-20`, `2025-03-31.basil`) has the shapes from before basil. */
export function isBeforeBasil(version: string): boolean {
  return version.slice(0, BASIL.length) < BASIL;
}

const period = { current_period_start: z.number(), current_period_end: z.number() };
const shapes = z.discriminatedUnion('object', [
  z.looseObject({
    object: z.literal('subscription'),
    items: z.looseObject({ data: z.array(z.looseObject(period)).min(1) }),
  }),
  z.looseObject({
    object: z.literal('invoice'),
    id: z.string(),
    status: z.string().nullable(),
    parent: z
      .object({
        subscription_details: z.object({ subscription: z.string(), metadata: z.record(z.string(), z.string()) }),
      })
      .nullable(),
  }),
  z.looseObject({ object: z.literal('payment_intent'), id: z.string() }),
  z.looseObject({ object: z.literal('charge'), payment_intent: z.string().nullable() }),
]);

type Shape = z.output<typeof shapes>;

/**
 * Converts an event's object (JSON) to its shape before basil: periods on the subscription, `subscription` on the
 * invoice, `invoice` on payments. Other objects are identical in both versions.
 * (Stripe: https://docs.stripe.com/changelog/basil)
 */
export function beforeBasil(account: Account, json: string): string {
  const parsed = shapes.safeParse(JSON.parse(json));
  return parsed.success ? JSON.stringify(older(account, parsed.data)) : json;
}

function older(account: Account, shape: Shape): object {
  if (shape.object === 'subscription') return olderSubscription(shape);
  if (shape.object === 'invoice') return olderInvoice(account, shape);
  const intent = shape.object === 'charge' ? shape.payment_intent : shape.id;
  return { ...shape, invoice: intent === null ? null : invoiceOf(account, intent) };
}

function olderSubscription(shape: Extract<Shape, { object: 'subscription' }>): object {
  const data = shape.items.data.map(({ current_period_start: _start, current_period_end: _end, ...item }) => item);
  const starts = shape.items.data.map(item => item.current_period_start);
  const ends = shape.items.data.map(item => item.current_period_end);
  return {
    ...shape,
    current_period_start: Math.min(...starts),
    current_period_end: Math.min(...ends),
    items: { ...shape.items, data },
  };
}

function olderInvoice(account: Account, { parent, ...invoice }: Extract<Shape, { object: 'invoice' }>): object {
  const details = parent?.subscription_details;
  const [payment] = account.tables.invoice_payment.withField('invoice', invoice.id);
  const intent = payment && account.tables.payment_intent.get(payment.payment.payment_intent);
  return {
    ...invoice,
    subscription: details?.subscription ?? null,
    subscription_details: { metadata: details?.metadata ?? null },
    paid: invoice.status === 'paid',
    payment_intent: intent?.id ?? null,
    charge: intent?.latest_charge ?? null,
  };
}

function invoiceOf(account: Account, paymentIntent: string): string | null {
  const rows = account.tables.invoice_payment.withField('payment.payment_intent', paymentIntent);
  return rows[0]?.invoice ?? null;
}
