/** One project's report on an event. */
export interface Completion {
  readonly teamId: string;
  readonly eventId: string;
  readonly projectId: string;
  readonly routedBy: string;
  readonly outcome: 'processed' | 'failed';
  readonly error: string | null;
  readonly attempts: number;
}

/** What several projects reported on one event, in the shape of a row. */
export interface CompletionSum {
  readonly team_id: string;
  readonly id: string;
  readonly projects: readonly string[];
  readonly routed_by: string;
  readonly failed_in: readonly string[];
  readonly attempts: number;
  readonly error: string | null;
}

/** Adds up reports by event, ordered by event: one statement changes a row only once. */
export function sumUp(completions: readonly Completion[]): CompletionSum[] {
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
        projects: reports.map(({ projectId }) => projectId),
        routed_by: first.routedBy,
        failed_in: failed.map(({ projectId }) => projectId),
        attempts: Math.max(...reports.map(({ attempts }) => attempts)),
        error: failed[0]?.error ?? null,
      };
    });
}
