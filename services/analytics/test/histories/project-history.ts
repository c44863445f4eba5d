import { randomUUID } from 'node:crypto';
import type { Envelope } from '@billing/contracts/event';
import { ProjectId, TeamId, type ProjectScope } from '@billing/contracts/ids';
import fc from 'fast-check';
import { inRealTime, type ProjectRecords } from '../reference-model.ts';
import { customerHistory, referralHistory, webhookEventHistory } from './other-records.ts';
import { subscriptionHistory } from './subscriptions.ts';
import { timeAround, type Lookback } from './times.ts';

/** The events of one record, in order, and what its owner stores after them. */
export type RecordHistory = { readonly events: readonly Envelope[] } & Partial<ProjectRecords>;

/** The events of a project, in order, and what the owners of its records store after them. */
export interface ProjectHistory {
  readonly events: readonly Envelope[];
  readonly records: ProjectRecords;
}

/** The project of all generated histories; `moveToProject` gives each run a project of its own. */
const TEMPLATE: ProjectScope = { teamId: TeamId.create(), projectId: ProjectId.create() };

/** Histories of records of every kind, with times around the edges of the window. */
export function projectHistory(window: Lookback): fc.Arbitrary<ProjectHistory> {
  const time = timeAround(window);
  const upTo = (maxLength: number, record: fc.Arbitrary<RecordHistory>) => fc.array(record, { maxLength });
  return fc
    .tuple(
      upTo(7, subscriptionHistory(TEMPLATE, time)),
      upTo(7, customerHistory(TEMPLATE, time)),
      upTo(3, referralHistory(TEMPLATE, time)),
      webhookEventHistory(TEMPLATE, time),
    )
    .map(drawn => {
      const all = drawn.flat();
      const [webhookEvents] = all.flatMap(it => it.webhookEvents ?? []);
      return {
        events: all.flatMap(it => it.events),
        records: inRealTime({
          subscriptions: all.flatMap(it => it.subscriptions ?? []),
          customers: all.flatMap(it => it.customers ?? []),
          webhookEvents: webhookEvents ?? { total: 0, processed: 0, failed: 0 },
          codes: all.reduce((sum, it) => sum + (it.codes ?? 0), 0),
          referrals: all.flatMap(it => it.referrals ?? []),
          lives: all.flatMap(it => it.lives ?? []),
        }),
      };
    });
}

/** The events in any order, some repeated: the same event again, or another event with the same state. */
export function disorder(events: readonly Envelope[]): fc.Arbitrary<Envelope[]> {
  if (events.length === 0) return fc.constant([]);
  const repeat = fc.record({ index: fc.nat(events.length - 1), isAnotherEvent: fc.boolean() });
  return fc.array(repeat, { maxLength: 10 }).chain(repeats => {
    const repeated = repeats.flatMap(({ index, isAnotherEvent }) => {
      const event = events[index];
      return event ? [isAnotherEvent ? { ...event, id: randomUUID() } : event] : [];
    });
    const all = [...events, ...repeated];
    return fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length });
  });
}

/** The same events in another project, under new event ids; repeats stay repeats. */
export function moveToProject({ teamId, projectId }: ProjectScope, events: readonly Envelope[]): Envelope[] {
  const ids = new Map<string, string>();
  return events.map(event => {
    const id = ids.get(event.id) ?? randomUUID();
    ids.set(event.id, id);
    const text = JSON.stringify(event.data);
    const data: unknown = JSON.parse(
      text.replaceAll(TEMPLATE.projectId, projectId).replaceAll(TEMPLATE.teamId, teamId),
    );
    return { ...event, id, teamId, data };
  });
}
