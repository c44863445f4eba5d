import type { Stripe } from 'stripe';
import { z } from 'zod';
import { endpoint } from '../api/endpoint.ts';
import { invalidRequest, noSuch } from '../api/errors.ts';
import { boolean, choice, empty, expand, parameters, text, timestamp } from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { previewInvoice } from '../billing/preview.ts';
import { inItsTime } from '../objects/test-clock.ts';
import type { Invoice } from '../objects/stored.ts';
import { discountsParameter } from './coupons.ts';
import { itemsParameter } from './subscription-items.ts';
import { plannedUpdate } from './subscription-update.ts';

/** Of so many previews the lines can be listed. */
const KEPT_PREVIEWS = 100;

type Details = Stripe.InvoiceCreatePreviewParams.SubscriptionDetails;

const detailsParameter = parameters<Details>()({
  billing_cycle_anchor: z.strictObject({ type: choice('now', 'unchanged') }).optional(),
  cancel_at: z.union([empty, choice('max_period_end', 'min_period_end'), timestamp]).optional(),
  cancel_at_period_end: boolean.optional(),
  items: itemsParameter.optional(),
  proration_behavior: choice('always_invoice', 'create_prorations', 'none').optional(),
  proration_date: timestamp.optional(),
  trial_end: z.union([z.literal('now'), timestamp]).optional(),
});

const previewParameters = parameters<Stripe.InvoiceCreatePreviewParams>()({
  customer: text().optional(),
  discounts: discountsParameter.optional(),
  expand,
  preview_mode: choice('next', 'recurring').optional(),
  subscription: text(),
  subscription_details: detailsParameter.optional(),
});
type Given = z.output<typeof previewParameters>;

export const invoicePreviewEndpoints = [
  endpoint('POST', '/v1/invoices/create_preview', previewParameters, (unit, given) => createPreview(unit, given)),
];

/** Previews an invoice of a subscription, with changes if any are given. Stripe also previews new subscriptions. */
function createPreview(unit: UnitOfWork, given: Given): Invoice {
  const subscription = unit.tables.subscription.get(given.subscription);
  if (!subscription) throw noSuch('subscription', given.subscription, 'subscription');
  if (given.customer !== undefined && given.customer !== subscription.customer)
    throw invalidRequest(`The subscription ${subscription.id} does not belong to the customer ${given.customer}.`, {
      param: 'customer',
    });
  inItsTime(unit, subscription);
  const { subscription_details: details = {} } = given;
  rejectUselessDate(details);
  const plan = plannedUpdate(unit, subscription, { ...details, discounts: given.discounts });
  const preview = previewInvoice(unit, subscription, plan, given.preview_mode ?? 'next');
  unit.tables.preview.put({ id: preview.id, lines: preview.lines.data });
  unit.tables.preview.trim(KEPT_PREVIEWS);
  return preview;
}

/** @throws ApiError 400 when a proration date has nothing to prorate */
function rejectUselessDate(details: z.output<typeof detailsParameter>): void {
  const param = 'subscription_details[proration_date]';
  if (details.proration_date === undefined) return;
  if (details.items === undefined && details.trial_end === undefined)
    throw invalidRequest('`proration_date` needs `subscription_details[items]` or `subscription_details[trial_end]`.', {
      param,
    });
  if (details.proration_behavior === 'none')
    throw invalidRequest('`proration_date` cannot be used with `proration_behavior=none`.', { param });
}
