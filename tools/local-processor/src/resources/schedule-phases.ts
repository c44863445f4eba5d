import type { Stripe } from 'stripe';
import { z } from 'zod';
import { invalidRequest } from '../api/errors.ts';
import { mergeMetadata } from '../api/metadata.ts';
import { boolean, choice, empty, integer, metadata, parameters, text, timestamp } from '../api/parameters.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import { type Cadence, periodStart } from '../domain/periods.ts';
import { existing } from '../objects/finding.ts';
import { cadenceOf } from '../objects/price.ts';
import { subscriptionTaxOf } from '../objects/subscription.ts';
import { newPhase, newPhaseItem } from '../objects/subscription-schedule.ts';
import type { Phase, SubscriptionSchedule } from '../objects/stored.ts';
import { discountsParameter } from './coupons.ts';
import { currency } from './price-amounts.ts';
import { quantityOf, recurringPrice } from './prices.ts';
import { newItemsParameter, rejectMixedCadences } from './subscription-items.ts';

const phaseParameter = parameters<Stripe.SubscriptionScheduleUpdateParams.Phase>()({
  automatic_tax: z.strictObject({ enabled: boolean }).optional(),
  billing_cycle_anchor: choice('automatic', 'phase_start').optional(),
  collection_method: choice('charge_automatically', 'send_invoice').optional(),
  currency: currency.optional(),
  default_payment_method: text().optional(),
  description: z.union([empty, text(500)]).optional(),
  discounts: discountsParameter.optional(),
  duration: z
    .strictObject({ interval: choice('day', 'month', 'week', 'year'), interval_count: integer(1, 1_095).optional() })
    .optional(),
  end_date: timestamp.optional(),
  invoice_settings: z.strictObject({ days_until_due: integer(0).optional() }).optional(),
  items: newItemsParameter,
  metadata: metadata.optional(),
  proration_behavior: choice('always_invoice', 'create_prorations', 'none').optional(),
  start_date: timestamp.optional(),
  trial_end: timestamp.optional(),
});
type Given = z.output<typeof phaseParameter>;

/** The phases of a schedule, which replace all before. */
export const phasesParameter = z.array(phaseParameter).min(1).max(10);

/**
 * Returns the phases of a schedule, one after the other. The first one is the current one. The last one lasts one interval
 * of its prices unless it says how long.
 * @throws ApiError 400 when they do not follow each other, or name what can't be billed
 */
export function phasesOf(unit: UnitOfWork, schedule: SubscriptionSchedule, given: readonly Given[]): Phase[] {
  const known = schedule.phases[0]?.currency ?? 'usd';
  const start = schedule.current_phase?.start_date ?? unit.now;
  let from = start;
  return given.map((phase, index) => {
    const path = `phases[${index}]`;
    if (index === 0 && phase.start_date !== start)
      throw invalidRequest(
        `You can not modify the start date of the current phase. Pass \`${start}\` as \`start_date\` of the first phase.`,
        `${path}[start_date]`,
      );
    if (phase.start_date !== undefined && phase.start_date !== from)
      throw invalidRequest('The start date of a phase must be the end date of the one before.', `${path}[start_date]`);
    const items = itemsOf(unit, schedule, phase, path);
    const end = endOf(unit, phase, from, path);
    if (end <= Math.max(from, unit.now))
      throw invalidRequest('The end date of a phase must be after its start, and in the future.', `${path}[end_date]`);
    const { trial_end: trialEnd = end } = phase;
    if (trialEnd <= from || trialEnd > end)
      throw invalidRequest('The trial of a phase must end within it.', `${path}[trial_end]`);
    const made = phaseFrom(phase, known, { items, start_date: from, end_date: end });
    from = end;
    return made;
  });
}

/** Prices that the schedule has stay, also when they are archived. */
function itemsOf(unit: UnitOfWork, schedule: SubscriptionSchedule, { items }: Given, path: string): Phase['items'] {
  const known = schedule.phases[0]?.currency ?? null;
  const had = new Set(schedule.phases.flatMap(phase => phase.items.map(({ price }) => price)));
  const lines = items.map((item, index) => {
    const param = `${path}[items][${index}][price]`;
    const isKept = had.has(item.price);
    const price = isKept ? existing(unit, 'price', item.price, param) : recurringPrice(unit, item.price, param, known);
    const quantity = quantityOf(price, item.quantity, `${path}[items][${index}][quantity]`);
    const made = newPhaseItem(price.id, quantity ?? undefined, mergeMetadata({}, item.metadata));
    return { price, item: { ...made, discounts: discountsOf(item) } };
  });
  rejectMixedCadences(lines.map(({ price }) => price));
  return lines.map(({ item }) => item);
}

function endOf(unit: UnitOfWork, { end_date: end, duration, items }: Given, from: number, path: string): number {
  if (end !== undefined && duration !== undefined)
    throw invalidRequest('You may only specify one of these parameters: end_date, duration.', `${path}[end_date]`);
  if (end !== undefined) return end;
  if (duration) return periodStart(from, { interval: duration.interval, count: duration.interval_count ?? 1 }, 1);
  const price = unit.tables.price.get(items[0]?.price ?? '');
  const monthly: Cadence = { interval: 'month', count: 1 };
  return periodStart(from, (price && cadenceOf(price)) ?? monthly, 1);
}

const discountsOf = ({ discounts }: Pick<Given, 'discounts'>): Phase['discounts'] =>
  (discounts ?? []).map(({ coupon = null, discount = null, promotion_code = null }) => ({
    coupon,
    discount,
    promotion_code,
  }));

const NO_SETTINGS = { account_tax_ids: null, custom_fields: null, description: null, footer: null, issuer: null };

function phaseFrom(given: Given, known: string, fixed: Pick<Phase, 'end_date' | 'items' | 'start_date'>): Phase {
  const { automatic_tax: tax } = given;
  const daysUntilDue = given.invoice_settings?.days_until_due;
  return newPhase(known, {
    ...fixed,
    ...(tax && { automatic_tax: subscriptionTaxOf(tax.enabled) }),
    billing_cycle_anchor: given.billing_cycle_anchor ?? null,
    collection_method: given.collection_method ?? null,
    default_payment_method: given.default_payment_method ?? null,
    description: given.description ?? null,
    discounts: discountsOf(given),
    invoice_settings: daysUntilDue === undefined ? null : { ...NO_SETTINGS, days_until_due: daysUntilDue },
    metadata: mergeMetadata({}, given.metadata),
    trial_end: given.trial_end ?? null,
    proration_behavior: given.proration_behavior ?? 'create_prorations',
  });
}
