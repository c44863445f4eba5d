import { createHash } from 'node:crypto';
import type { ProjectScope, SubscriptionChangeId } from '@billing/contracts/ids';
import { namedChange } from '@billing/processor/metadata';
import type { NewPhase } from '@billing/processor/plan-changes';
import type { PhaseDiscount, ScheduleSnapshot } from '@billing/processor/snapshots/schedule';
import type { SubscriptionSnapshot } from '@billing/processor/snapshots/subscription';
import type { ChangedItem } from './pending-change.rules.ts';

/** A change of plan that a schedule of ours makes at the end of the period. */
export interface PlannedChange {
  readonly id: SubscriptionChangeId;
  readonly items: readonly ChangedItem[];
  readonly effectiveAt: Date;
  /** What the subscription was when its schedule was last made to follow it (`basisOf`). */
  readonly from: string;
}

/** What a subscription is by now, as far as planned changes follow it. */
export interface Followed {
  readonly currentPeriodStart: Date;
  readonly currentPeriodEnd: Date;
  readonly items: readonly ChangedItem[];
  /** Ids of the discounts that it has. */
  readonly discountIds: readonly string[];
  readonly defaultPaymentMethodId: string | null;
  /** Whether tax is computed for it automatically. */
  readonly taxAutomatic: boolean;
}

/** The schedule of the processor that manages a subscription. */
export interface ManagingSchedule {
  readonly id: string;
  /** Null for a schedule that this service did not make. */
  readonly change: PlannedChange | null;
}

/**
 * Returns what the processor's schedule does to a subscription. An object that contains only the schedule's id shows what is
 * recorded of it.
 */
export function readManagingSchedule(
  { schedule, scheduleId }: Pick<SubscriptionSnapshot, 'schedule' | 'scheduleId'>,
  recorded: ManagingSchedule | null,
): ManagingSchedule | null {
  if (scheduleId === null) return null;
  if (schedule) return { id: scheduleId, change: readPlannedChange(schedule) };
  return recorded?.id === scheduleId ? recorded : { id: scheduleId, change: null };
}

/** Returns whether this service made a schedule. */
export const isOurs = (schedule: ScheduleSnapshot): boolean => readPlannedChange(schedule) !== null;

/** Returns the change that a schedule of ours makes; null for another one. */
function readPlannedChange({ metadata, phases }: ScheduleSnapshot): PlannedChange | null {
  const { changeFrom: from } = metadata;
  const id = namedChange(metadata);
  const next = phases.at(-1);
  if (!id || from === undefined || !next || phases.length < 2) return null;
  return { id, items: toChangedItems(next.items), effectiveAt: next.startsAt, from };
}

/** The most characters of a value of metadata. https://docs.stripe.com/api/metadata */
const MAX_VALUE = 500;
/** Stands for all discounts that the subscription has when the change counts, where their ids would be too long. */
const ALL = 'none';

/** Returns the metadata of a schedule that makes a change; `readManagingSchedule` reads them. An empty value is no key. */
export function scheduleMetadata(
  { teamId, projectId }: ProjectScope,
  { id, from, removedDiscountIds: ids }: Pick<PlannedChange, 'id' | 'from'> & RemovedDiscounts,
) {
  const removed = ids?.join() ?? ALL;
  return {
    teamId,
    projectId,
    changeId: id,
    changeFrom: from,
    changeDiscounts: removed.length > MAX_VALUE ? ALL : removed,
  };
}

/** Which discounts a change removes: what is added after it was scheduled, for example to stay, is kept. */
interface RemovedDiscounts {
  /** Null for all. */
  readonly removedDiscountIds: readonly string[] | null;
}

/** Returns in a short text which prices are billed, and how many of each. */
export function planOf(items: readonly ChangedItem[]): string {
  const sorted = items.toSorted((a, b) => (a.processorPriceId < b.processorPriceId ? -1 : 1));
  const prices = createHash('sha256').update(sorted.map(it => it.processorPriceId).join());
  return `${prices.digest('base64url').slice(0, 22)}:${sorted.map(it => it.quantity).join()}`;
}

/** Returns in a short text what a planned change builds on: the plan, the discounts, the payment method, and the tax. */
export function basisOf({
  items,
  discountIds,
  defaultPaymentMethodId,
  taxAutomatic,
}: Omit<Followed, 'currentPeriodStart' | 'currentPeriodEnd'>): string {
  // Without tax as it was before tax counted, so that schedules of then stay.
  const parts = [defaultPaymentMethodId ?? '', discountIds.toSorted().join(), ...(taxAutomatic ? ['tax'] : [])];
  const settings = createHash('sha256').update(parts.join(':'));
  return `${planOf(items)}:${settings.digest('base64url').slice(0, 22)}`;
}

/** Returns the quantities of a plan, or of what is built on it, by price; null when `items` have other prices. */
function quantitiesOf(plan: string, items: readonly ChangedItem[]): ReadonlyMap<string, number> | null {
  const [prices, quantities = ''] = plan.split(':');
  if (planOf(items).split(':')[0] !== prices) return null;
  const ids = items.map(it => it.processorPriceId).toSorted();
  const all = quantities.split(',').map(Number);
  return new Map(ids.map((id, index) => [id, all[index] ?? 1]));
}

/** Whether a planned change has taken effect. */
export const hasBegun = (
  { effectiveAt }: Pick<PlannedChange, 'effectiveAt'>,
  { currentPeriodStart }: { readonly currentPeriodStart: Date },
): boolean => effectiveAt <= currentPeriodStart;

/** Whether the schedule of a planned change is to be released, or to follow what the subscription is by now. */
export const isOverdue = (change: PlannedChange, current: Followed): boolean =>
  change.effectiveAt.getTime() !== current.currentPeriodEnd.getTime() || change.from !== basisOf(current);

/**
 * Returns what a planned change becomes after changes of the subscription: null when it has taken effect, when other prices
 * have replaced it, or when nothing of it is left; else its items and discounts. A quantity that was changed since is kept, and a
 * promotion code of `redeemed` is not redeemed again.
 */
export function followedPlan(
  schedule: ScheduleSnapshot,
  current: Pick<Followed, 'currentPeriodStart' | 'items'> & {
    readonly discounts: readonly PhaseDiscount[];
    readonly redeemed: readonly string[];
  },
): Planned | null {
  const change = readPlannedChange(schedule);
  const before = change && quantitiesOf(change.from, current.items);
  if (!before || hasBegun(change, current)) return null;
  const next = schedule.phases.at(-1);
  const planned = next?.items ?? [];
  const currentOf = pairs(planned, current.items, (one, { processorPriceId }) => one.priceId === processorPriceId);
  const items = planned.map(one => {
    const now = currentOf.get(one);
    const isChanged = now && now.quantity !== before.get(now.processorPriceId);
    return isChanged && one.quantity !== null ? { ...one, quantity: now.quantity } : one;
  });
  const redeems = (next?.discounts ?? []).filter(
    ({ discountId, promotionCodeId: code }) =>
      discountId === null && (code === null || !current.redeemed.includes(code)),
  );
  const { removedDiscountIds: removed } = removedDiscountsOf(schedule);
  const kept = current.discounts.filter(it => removed !== null && !removed.includes(it.discountId ?? ''));
  const discounts = [...kept, ...redeems];
  const changesDiscounts = discounts.length !== current.discounts.length;
  return changesDiscounts || planOf(toChangedItems(items)) !== planOf(current.items) ? { items, discounts } : null;
}

/** Returns which discounts a schedule of ours removes. */
export function removedDiscountsOf({ metadata }: Pick<ScheduleSnapshot, 'metadata'>): RemovedDiscounts {
  const removed = metadata['changeDiscounts'] ?? '';
  return { removedDiscountIds: removed === ALL ? null : removed.split(',').filter(Boolean) };
}

/** Returns the items of a subscription as plans name them. */
export const itemsOf = ({ items }: Pick<SubscriptionSnapshot, 'items'>): ChangedItem[] =>
  items.map(({ price, quantity }) => ({ processorPriceId: price.id, quantity }));

/** Returns what a subscription is, as far as planned changes follow it. */
export const followedOf = (snapshot: SubscriptionSnapshot): Followed => ({
  currentPeriodStart: snapshot.currentPeriodStart,
  currentPeriodEnd: snapshot.currentPeriodEnd,
  items: itemsOf(snapshot),
  discountIds: snapshot.discounts.map(({ id }) => id),
  defaultPaymentMethodId: snapshot.defaultPaymentMethodId,
  taxAutomatic: snapshot.tax.automatic,
});

/** Returns the promotion codes that a schedule of ours redeems. */
export const plannedCodes = ({ phases }: Pick<ScheduleSnapshot, 'phases'>): string[] =>
  (phases.at(-1)?.discounts ?? []).flatMap(({ promotionCodeId }) => promotionCodeId ?? []);

/** Returns the promotion codes that the discounts of a subscription come from. */
export const redeemedCodes = ({ discounts }: Pick<SubscriptionSnapshot, 'discounts'>): string[] =>
  discounts.flatMap(({ detail }) => detail?.promotionCodeId ?? []);

const toChangedItems = (items: readonly { priceId: string; quantity: number | null }[]): ChangedItem[] =>
  items.map(({ priceId, quantity }) => ({ processorPriceId: priceId, quantity: quantity ?? 1 }));

/** Finds for each of `wanted` its own of `there`: one that it fits, else the next one that is left. */
function pairs<Wanted, There>(
  wanted: readonly Wanted[],
  there: readonly There[],
  fits: (wanted: Wanted, there: There) => boolean,
): ReadonlyMap<Wanted, There> {
  const left = [...there];
  const found = new Map<Wanted, There>();
  for (const want of wanted) {
    const index = left.findIndex(one => fits(want, one));
    for (const one of index < 0 ? [] : left.splice(index, 1)) found.set(want, one);
  }
  for (const want of wanted) {
    const [next] = found.has(want) ? [] : left.splice(0, 1);
    if (next) found.set(want, next);
  }
  return found;
}

/** The current phase began when the schedule was made, and ends with the period. */
export const periodOf = (
  { currentPeriodStart, currentPeriodEnd: endsAt }: SubscriptionSnapshot,
  { currentPhase }: ScheduleSnapshot,
) => ({ startsAt: currentPhase?.startsAt ?? currentPeriodStart, endsAt });

/** What a subscription becomes at the end of its period. */
interface Planned {
  readonly items: readonly { readonly priceId: string; readonly quantity: number | null }[];
  /** All discounts that it is to have. */
  readonly discounts: readonly PhaseDiscount[];
}

/**
 * Returns the phases of a schedule that changes a subscription at the end of its period: the current one has all that the
 * subscription has, and the next one too but for what is planned. Metadata are in neither: they stay as they are.
 */
export function plannedPhases(
  current: NewPhase,
  { startsAt, endsAt }: { readonly startsAt: Date; readonly endsAt: Date },
  { items, discounts }: Planned,
): NewPhase[] {
  const { trialEnd: _trialEnd, ...next } = current;
  const currentOf = pairs(items, current.items, (want, { priceId }) => want.priceId === priceId);
  const planned = items.map(item => ({ ...currentOf.get(item), ...item }));
  return [
    { ...current, startsAt, endsAt },
    { ...next, items: planned, discounts },
  ];
}
