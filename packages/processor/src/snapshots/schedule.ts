import { parseObject, type Fields } from './fields.ts';
import { reference, shortText, unixTime, wholeNumber } from './values.ts';

/** Parses a schedule. */
export const readSchedule = (raw: unknown) => parseObject(raw, parseSchedule);

/** Parses a schedule that another object contains. */
export const parseSchedule = (schedule: Fields) => ({
  id: schedule.required('id', shortText),
  /** `active`, `not_started`, `completed`, `released` or `canceled`. */
  status: schedule.required('status', shortText),
  /** The one that it manages, or managed until it was released. */
  subscriptionId: schedule.optional('subscription', reference) ?? schedule.optional('released_subscription', reference),
  /** `release` or `cancel`. */
  endBehavior: schedule.required('end_behavior', shortText),
  currentPhase: schedule.optionalObject('current_phase', it => ({
    startsAt: it.required('start_date', unixTime),
    endsAt: it.required('end_date', unixTime),
  })),
  phases: schedule.array('phases', parsePhase),
  metadata: schedule.metadata(),
  createdAt: schedule.required('created', unixTime),
});

/** A schedule of a subscription. https://docs.stripe.com/api/subscription_schedules/object */
export type ScheduleSnapshot = Readonly<ReturnType<typeof parseSchedule>>;

const parsePhase = (phase: Fields) => ({
  startsAt: phase.required('start_date', unixTime),
  endsAt: phase.required('end_date', unixTime),
  items: phase.array('items', item => ({
    priceId: item.required('price', reference),
    quantity: item.optional('quantity', wholeNumber),
  })),
  discounts: phase.array('discounts', parsePhaseDiscount),
  metadata: phase.metadata(),
});

/** What a subscription has in one phase of its schedule. */
export type PhaseSnapshot = Readonly<ReturnType<typeof parsePhase>>;

/** Ids: each names an existing discount, or what it is made of. */
const parsePhaseDiscount = (discount: Fields) => ({
  discountId: discount.optional('discount', reference),
  couponId: discount.optional('coupon', reference),
  promotionCodeId: discount.optional('promotion_code', reference),
});

export type PhaseDiscount = Readonly<ReturnType<typeof parsePhaseDiscount>>;
