import { startTestService } from '@billing/service/testing/start-test-service';
import { ProjectCreated } from '@billing/contracts/events/gateway';
import { ProjectId, TeamId, type ProjectScope } from '@billing/contracts/ids';
import { analyticsOperations } from '@billing/contracts/operations/analytics';
import {
  analytics,
  analyticsHistory,
  type AnalyticsMetric,
  type ListedReason,
} from '@billing/contracts/resources/analytics';
import { newEvent } from '@billing/testing/events';
import { analyticsService } from '../src/service.ts';
import { project } from './states.ts';

const queryOf = (given: Readonly<Record<string, string | number | undefined>>): string =>
  `?${Object.entries(given)
    .flatMap(([name, value]) => (value === undefined ? [] : `${name}=${value}`))
    .join('&')}`;

/** Starts analytics with running consumers, a database and a bus of its own, and a clock that the test sets. */
export async function startAnalytics() {
  let now = new Date();
  const service = await startTestService(analyticsService(), { now: () => now });
  await service.run();

  const get = async (scope: ProjectScope, path: string): Promise<unknown> => {
    const { status, body, text } = await service.call('GET', path, { of: scope });
    if (status !== 200) throw new Error(`${status} ${text}`);
    return body;
  };

  return {
    ...service,
    setNow: (time: Date) => void (now = time),
    /** A project in US dollars, of a new team unless given, whose creation is processed. */
    async createProject(teamId = TeamId.create()): Promise<ProjectScope> {
      const scope = { teamId, projectId: ProjectId.create() };
      await service.emit(newEvent(ProjectCreated, teamId, project(scope)));
      return scope;
    },
    /** `GET P/analytics`. */
    analytics: async (scope: ProjectScope, growthDays?: number, to?: string) =>
      analytics.parse(await get(scope, `/analytics${queryOf({ growthDays, to })}`)),
    async cancellations(scope: ProjectScope, growthDays = 30) {
      const { response } = analyticsOperations.listCancellations;
      return response.parse(await get(scope, `/analytics/cancellations?growthDays=${growthDays}`)).cancellations;
    },
    /** `GET P/analytics/subscriptions`, all pages of `limit` together. */
    async subscriptions(
      scope: ProjectScope,
      metric: AnalyticsMetric,
      growthDays = 30,
      limit = 100,
      only?: { from?: string; to?: string; reason?: ListedReason },
    ) {
      const { response } = analyticsOperations.listAnalyticsSubscriptions;
      const filter = new URLSearchParams(only).toString();
      const page = async (offset: number) => {
        const query = `metric=${metric}&growthDays=${growthDays}&${filter}&limit=${limit}&offset=${offset}`;
        return response.parse(await get(scope, `/analytics/subscriptions?${query}`));
      };
      const first = await page(0);
      const rest = Array.from({ length: Math.ceil(first.pagination.total / limit) - 1 }, (_, index) => index + 1);
      const pages = [first, ...(await Promise.all(rest.map(index => page(index * limit))))];
      return { ...first, subscriptions: pages.flatMap(({ subscriptions }) => subscriptions) };
    },
    /** `GET P/analytics/history`. */
    history: async (scope: ProjectScope, days?: number, step?: number, to?: string) =>
      analyticsHistory.parse(await get(scope, `/analytics/history${queryOf({ days, step, to })}`)),
  };
}

export type AnalyticsService = Awaited<ReturnType<typeof startAnalytics>>;

/** A team and project of which analytics has received nothing. */
export const newScope = (): ProjectScope => ({ teamId: TeamId.create(), projectId: ProjectId.create() });
