import type { Completion as Report } from '@billing/contracts/processor-events';
import type { TeamId } from '@billing/contracts/ids';

/** One project's report on an event. */
export type Completion = Report & { readonly teamId: TeamId };

/** What projects reported on one event, in the shape of a row. */
export type ReportSum = ReturnType<typeof sumUp>[number];

/** Adds up reports by event, in the shape of rows, ordered by event: one statement changes a row only once. */
export function sumUp(completions: readonly Completion[]) {
  const byEvent = Map.groupBy(completions, ({ teamId, eventId }) => `${teamId} ${eventId}`);
  return [...byEvent]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, reports]) => {
      const [first] = reports;
      if (!first) return [];
      const failed = reports.filter(({ outcome }) => outcome === 'failed');
      return {
        team_id: first.teamId,
        id: first.eventId,
        projects: [...new Set(reports.map(({ projectId }) => projectId))],
        routed_by: first.routedBy,
        failed_in: failed.map(({ projectId }) => projectId),
        attempts: Math.max(...reports.map(({ attempts }) => attempts)),
        error: failed[0]?.error ?? null,
      };
    });
}
