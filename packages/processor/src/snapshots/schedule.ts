import { parseObject, reference, text, unixTime, wholeNumber, type Fields } from './fields.ts';

/** What a subscription has in one phase of its schedule. */
export interface PhaseSnapshot {
  readonly startsAt: Date;
  readonly endsAt: Date;
  readonly items: readonly { readonly priceId: string; readonly quantity: number | null }[];
  /** Ids: each names an existing discount, or what it is made of. */
  readonly discounts: readonly PhaseDiscount[];
  readonly metadata: Readonly<Record<string, string>>;
}

export interface PhaseDiscount {
  readonly discountId: string | null;
  readonly couponId: string | null;
  readonly promotionCodeId: string | null;
}

/** A schedule of a subscription. https://docs.stripe.com/api/subscription_schedules/object */
export interface ScheduleSnapshot {
  readonly id: string;
  /** `active`, `not_started`, `completed`, `released` or `canceled`. */
  readonly status: string;
  /** The one that it manages, or managed until it was released. */
  readonly subscriptionId: string | null;
  /** `release` or `cancel`. */
  readonly endBehavior: string;
  readonly currentPhase: { readonly startsAt: Date; readonly endsAt: Date } | null;
  readonly phases: readonly PhaseSnapshot[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdAt: Date;
}

/** Parses a schedule. */
export const readSchedule = (raw: unknown): ScheduleSnapshot => parseObject(raw, parseSchedule);

/** Parses a schedule that another object contains. */
export const parseSchedule = (schedule: Fields): ScheduleSnapshot => ({
  id: schedule.required('id', text),
  status: schedule.required('status', text),
  subscriptionId: schedule.optional('subscription', reference) ?? schedule.optional('released_subscription', reference),
  endBehavior: schedule.required('end_behavior', text),
  currentPhase: schedule.optionalObject('current_phase', it => ({
    startsAt: it.required('start_date', unixTime),
    endsAt: it.required('end_date', unixTime),
  })),
  phases: schedule.array('phases', parsePhase),
  metadata: schedule.metadata(),
  createdAt: schedule.required('created', unixTime),
});

const parsePhase = (phase: Fields): PhaseSnapshot => ({
  startsAt: phase.required('start_date', unixTime),
  endsAt: phase.required('end_date', unixTime),
  items: phase.array('items', item => ({
    priceId: item.required('price', reference),
    quantity: item.optional('quantity', wholeNumber),
  })),
  discounts: phase.array('discounts', it => ({
    discountId: it.optional('discount', reference),
    couponId: it.optional('coupon', reference),
    promotionCodeId: it.optional('promotion_code', reference),
  })),
  metadata: phase.metadata(),
});
