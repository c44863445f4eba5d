import type { Stripe } from 'stripe';
import { z } from 'zod';
import { endpoint } from '../api/endpoint.ts';
import { invalidRequest, noSuch } from '../api/errors.ts';
import { boolean, choice, empty, expand, parameters, text, timestamp } from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { previewCancellation } from '../billing/cancel-subscription.ts';
import { currentPhaseOf, inCurrentPhase, inPhase } from '../billing/phases.ts';
import { planChange } from '../billing/plan-change.ts';
import { discounted, rebatesBy } from '../billing/discounts.ts';
import { discountsOfInvoice } from '../billing/invoice-draft.ts';
import { previewInvoice, shown } from '../billing/preview.ts';
import { previewResumption } from '../billing/resume-subscription.ts';
import { existing, inItsTime } from '../objects/finding.ts';
import { lineOfItem } from '../objects/invoice-item.ts';
import type { Invoice, Subscription } from '../objects/stored.ts';
import { discountsParameter } from './coupons.ts';
import { billedOnce, oneTimeParameters } from './one-time-items.ts';
import { currency } from './price-amounts.ts';
import { phasesOf, phasesParameter } from './schedule-phases.ts';
import { previewSubscription } from './subscription-create.ts';
import { itemsParameter } from './subscription-items.ts';
import { plannedUpdate } from './subscription-update.ts';

/** How many previews are stored, so that their lines can be listed. */
const MAX_PREVIEWS = 100;

type Details = Stripe.InvoiceCreatePreviewParams.SubscriptionDetails;

const detailsParameter = parameters<Details>()({
  billing_cycle_anchor: z.strictObject({ type: choice('now', 'unchanged') }).optional(),
  cancel_at: z.union([empty, choice('max_period_end', 'min_period_end'), timestamp]).optional(),
  cancel_at_period_end: boolean.optional(),
  cancel_now: boolean.optional(),
  items: itemsParameter.optional(),
  proration_behavior: choice('always_invoice', 'create_prorations', 'none').optional(),
  proration_date: timestamp.optional(),
  resume_at: choice('now').optional(),
  trial_end: z.union([z.literal('now'), timestamp]).optional(),
});

const scheduleDetailsParameter = parameters<Stripe.InvoiceCreatePreviewParams.ScheduleDetails>()({
  end_behavior: choice('cancel', 'release').optional(),
  phases: phasesParameter.optional(),
  proration_behavior: choice('always_invoice', 'create_prorations', 'none').optional(),
});

const previewedItem = parameters<Stripe.InvoiceCreatePreviewParams.InvoiceItem>()({
  ...oneTimeParameters,
  currency: currency.optional(),
  invoiceitem: text().optional(),
  price: text().optional(),
});

const previewParameters = parameters<Stripe.InvoiceCreatePreviewParams>()({
  automatic_tax: z.strictObject({ enabled: boolean }).optional(),
  currency: currency.optional(),
  customer: text().optional(),
  discounts: discountsParameter.optional(),
  expand,
  invoice_items: z.array(previewedItem).max(250).optional(),
  preview_mode: choice('next', 'recurring').optional(),
  schedule: text().optional(),
  schedule_details: scheduleDetailsParameter.optional(),
  subscription: text().optional(),
  subscription_details: detailsParameter.optional(),
});
type Given = z.output<typeof previewParameters>;

export const invoicePreviewEndpoints = [
  endpoint('POST', '/v1/invoices/create_preview', previewParameters, (unit, given) => createPreview(unit, given)),
];

/**
 * Previews an invoice of a subscription or schedule, with changes if any are given, of a new subscription, or of a customer beside
 * them.
 */
function createPreview(unit: UnitOfWork, given: Given): Invoice {
  const preview = previewed(unit, given);
  unit.tables.preview.put({ id: preview.id, lines: preview.lines.data });
  unit.tables.preview.trim(MAX_PREVIEWS);
  return preview;
}

function previewed(unit: UnitOfWork, given: Given): Invoice {
  const { schedule, subscription, invoice_items: items, subscription_details: details } = given;
  if (schedule === undefined && subscription === undefined)
    return details?.items ? newSubscriptionPreview(unit, given, details) : itemsPreview(unit, given);
  if (items !== undefined)
    throw invalidRequest('The local processor previews `invoice_items` of a customer only.', 'invoice_items');
  return schedule === undefined ? subscriptionPreview(unit, given) : schedulePreview(unit, given);
}

/** Previews an invoice of items, and of those that wait and are of no subscription. */
function itemsPreview(unit: UnitOfWork, given: Given): Invoice {
  const { invoice_items: items = [] } = given;
  if (items.length === 0)
    throw invalidRequest(
      'You must provide at least one of: `subscription`, `schedule`, `subscription_details.items`, `schedule_details.phases`, `invoice_items`.',
    );
  const customer = existing(unit, 'customer', given.customer ?? '', 'customer');
  const code = given.currency ?? customer.currency ?? 'usd';
  const lines = billedOnce(unit, { customer, currency: code, path: 'invoice_items' }, items);
  const subtotal = lines.reduce((sum, { amount }) => sum + amount, 0);
  const { ids, fresh } = discountsOfInvoice(unit, customer.id, { currency: code, subtotal }, given.discounts);
  return shown(unit, {
    customer,
    subscription: null,
    currency: code,
    lines: discounted(lines.map(lineOfItem), rebatesBy(unit, ids, { currency: code, at: unit.now, fresh })),
    period: { start: unit.now, end: unit.now },
    automaticTax: given.automatic_tax?.enabled ?? false,
  });
}

/** Previews the first invoice of a subscription of a customer that is created now. */
function newSubscriptionPreview(unit: UnitOfWork, given: Given, details: z.output<typeof detailsParameter>): Invoice {
  const { items: wanted = [], trial_end, ...others } = details;
  if (given.preview_mode === 'recurring' || Object.values(others).some(value => value !== undefined))
    throw invalidRequest('The local processor previews new subscriptions with `items` and `trial_end` only.');
  const customer = existing(unit, 'customer', given.customer ?? '', 'customer');
  const items = wanted.map(({ price, quantity, discounts }, index) => {
    const param = `subscription_details[items][${index}][price]`;
    if (price === undefined) throw invalidRequest(`Missing required param: ${param}.`, param, 'parameter_missing');
    return { price, quantity, discounts };
  });
  return previewSubscription(unit, customer, { ...given, items, trial_end }, given.invoice_items ?? []);
}

function subscriptionPreview(unit: UnitOfWork, given: Given): Invoice {
  const subscription = existing(unit, 'subscription', given.subscription ?? '', 'subscription');
  if (given.customer !== undefined && given.customer !== subscription.customer)
    throw invalidRequest(
      `The subscription ${subscription.id} does not belong to the customer ${given.customer}.`,
      'customer',
    );
  const { cancel_now: cancelsNow = false, resume_at: resumesAt, ...details } = given.subscription_details ?? {};
  if (resumesAt) return resumptionPreview(unit, subscription, details);
  if (cancelsNow) return cancellationPreview(unit, subscription, details);
  rejectUselessDate(details);
  const plan = plannedUpdate(unit, subscription, {
    ...details,
    discounts: given.discounts,
    automatic_tax: given.automatic_tax,
  });
  return previewInvoice(unit, subscription, plan, given.preview_mode ?? 'next');
}

/** Previews the final invoice of a subscription that is canceled now, with what waits for an invoice. */
function cancellationPreview(
  unit: UnitOfWork,
  subscription: Subscription,
  { proration_behavior: behavior = 'create_prorations', ...others }: z.output<typeof detailsParameter>,
): Invoice {
  if (Object.values(others).some(value => value !== undefined))
    throw invalidRequest('The local processor previews `cancel_now` with `proration_behavior` only.');
  return previewCancellation(unit, subscription, behavior !== 'none');
}

/** Previews the invoice that resuming a paused subscription makes. */
function resumptionPreview(
  unit: UnitOfWork,
  subscription: Subscription,
  {
    proration_behavior: proration = 'create_prorations',
    billing_cycle_anchor: anchor,
  }: z.output<typeof detailsParameter>,
): Invoice {
  if (subscription.status !== 'paused')
    throw invalidRequest('You can only preview resuming a paused subscription.', 'subscription_details[resume_at]');
  return previewResumption(unit, subscription, { restarts: anchor?.type !== 'unchanged', proration });
}

/** Previews the next invoice as if an active schedule had other phases. */
function schedulePreview(unit: UnitOfWork, given: Given): Invoice {
  if (given.subscription !== undefined || given.subscription_details !== undefined)
    throw invalidRequest('You cannot pass `schedule` with `subscription` or `subscription_details`.', 'schedule');
  const { schedule_details: details = {} } = given;
  const schedule = unit.tables.subscription_schedule.get(given.schedule ?? '');
  const subscription = unit.tables.subscription.get(schedule?.subscription ?? '');
  if (!schedule || !subscription) throw noSuch('subscription_schedule', given.schedule ?? '', 'schedule');
  inItsTime(unit, subscription);
  const phases = details.phases ? phasesOf(unit, schedule, details.phases) : schedule.phases;
  const planned = inCurrentPhase(schedule, phases);
  const current = currentPhaseOf(planned);
  const { after, discounts } = current
    ? inPhase(unit, subscription, schedule, current)
    : { after: subscription, discounts: [] };
  const prorationBehavior = details.proration_behavior ?? 'create_prorations';
  const terms = { prorationBehavior, prorationDate: null, resetsAnchor: false, endsTrial: false };
  const plan = planChange(unit, subscription, after, terms, discounts);
  return previewInvoice(unit, subscription, plan, given.preview_mode ?? 'next', planned);
}

/** @throws ApiError 400 when a proration date has nothing to prorate */
function rejectUselessDate(details: z.output<typeof detailsParameter>): void {
  const param = 'subscription_details[proration_date]';
  if (details.proration_date === undefined) return;
  if (details.items === undefined && details.trial_end === undefined)
    throw invalidRequest(
      '`proration_date` needs `subscription_details[items]` or `subscription_details[trial_end]`.',
      param,
    );
  if (details.proration_behavior === 'none')
    throw invalidRequest('`proration_date` cannot be used with `proration_behavior=none`.', param);
}
