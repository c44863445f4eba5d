import { createHash } from 'node:crypto';
import type { ProjectScope, SubscriptionChangeId } from '@billing/contracts/ids';
import { namedChange } from '@billing/processor/metadata';
import type { ScheduleSnapshot } from '@billing/processor/snapshots/schedule';
import type { SubscriptionSnapshot } from '@billing/processor/snapshots/subscription';
import type { ChangedItem } from './pending-change.ts';

/** A change of plan that a schedule of ours makes at the end of the period. */
export interface PlannedChange {
  readonly id: SubscriptionChangeId;
  readonly items: readonly ChangedItem[];
  readonly effectiveAt: Date;
  /** What the subscription billed when it was planned (`planOf`). */
  readonly from: string;
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
  if (!id || from === undefined || !next) return null;
  const items = next.items.map(({ priceId, quantity }) => ({ processorPriceId: priceId, quantity: quantity ?? 1 }));
  return { id, items, effectiveAt: next.startsAt, from };
}

/** Returns the metadata of a schedule that makes a change; `readManagingSchedule` reads them. */
export const scheduleMetadata = (
  { teamId, projectId }: ProjectScope,
  { id, from }: Pick<PlannedChange, 'id' | 'from'>,
) => ({
  teamId,
  projectId,
  changeId: id,
  changeFrom: from,
});

/** Returns in a short text which prices are billed, and how many of each. */
export function planOf(items: readonly ChangedItem[]): string {
  const sorted = items.toSorted((a, b) => (a.processorPriceId < b.processorPriceId ? -1 : 1));
  const prices = createHash('sha256').update(sorted.map(it => it.processorPriceId).join());
  return `${prices.digest('base64url').slice(0, 22)}:${sorted.map(it => it.quantity).join()}`;
}

/** Returns the quantities of a plan by price; null when `items` have other prices. */
export function quantitiesOf(plan: string, items: readonly ChangedItem[]): ReadonlyMap<string, number> | null {
  const [prices, quantities = ''] = plan.split(':');
  if (planOf(items).split(':')[0] !== prices) return null;
  const ids = items.map(it => it.processorPriceId).toSorted();
  const all = quantities.split(',').map(Number);
  return new Map(ids.map((id, index) => [id, all[index] ?? 1]));
}

/** Whether a planned change has taken effect. */
export const hasBegun = (
  { effectiveAt }: Pick<PlannedChange, 'effectiveAt'>,
  { currentPeriodStart }: { currentPeriodStart: Date },
): boolean => effectiveAt <= currentPeriodStart;
