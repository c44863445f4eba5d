import { nullIfMissing } from '../errors.ts';
import type { ScheduleSnapshot } from '../snapshots/schedule.ts';
import { lacksSchedule, withSchedule, type SubscriptionSnapshot } from '../snapshots/subscription.ts';

/** Returns the subscription with its schedule, of which events and responses to most writes contain only the id. */
export async function addMissingSchedule(
  snapshot: SubscriptionSnapshot,
  findSchedule: (id: string) => Promise<ScheduleSnapshot>,
): Promise<SubscriptionSnapshot> {
  const { scheduleId } = snapshot;
  if (!lacksSchedule(snapshot) || scheduleId === null) return snapshot;
  return withSchedule(snapshot, await findSchedule(scheduleId).catch(nullIfMissing));
}
