import { setTimeout as pause } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import { cursorText } from '@billing/contracts/cursor';
import type { ProjectScope } from '@billing/contracts/ids';
import { Problem } from '@billing/contracts/problem';
import { executeBound } from '@billing/database/bound-statement';
import { openSharedWatch, type SharedWatch } from '@billing/database/shared-watch';
import type { TeamReads } from '@billing/service/team-reads';
import { openPlaces } from '@billing/service/waiting-requests';
import { z } from 'zod';
import { listEvents, type EventQuery } from './list-events.ts';

/** Requests that wait for an event in this process. */
const PLACES = { ofAll: 1_024, ofTeam: 32 };
/** How often to look for what other copies have recorded, in milliseconds. */
const LOOK_MS = 1_000;
/** How long a request that was woken for nothing waits at least, in milliseconds: its filter may match little. */
const QUIET_MS = 1_000;

/** The positions of the newest events of projects. */
export const openEventWatch = (em: EntityManager): SharedWatch<ProjectScope, number> =>
  openSharedWatch({ read: scopes => readPositions(em.fork(), scopes), intervalMs: LOOK_MS });

async function readPositions(em: EntityManager, scopes: readonly ProjectScope[]): Promise<readonly number[]> {
  const rows = await executeBound<{ position: number }>(
    em,
    `select coalesce(p.position, 0)::float8 as position
       from rows from (json_to_recordset($1::json) as (team_id text, project_id text)) with ordinality k
       left join event_positions p using (team_id, project_id) order by k.ordinality`,
    [JSON.stringify(scopes.map(({ teamId, projectId }) => ({ team_id: teamId, project_id: projectId })))],
  );
  return rows.map(({ position }) => position);
}

interface Parts {
  readonly reads: TeamReads;
  readonly watch: Pick<SharedWatch<ProjectScope, number>, 'until'>;
}

/**
 * Lists events, and waits for the first one where there is none. A request that waits takes none of the team's reads, and is
 * woken when its project has an event.
 * @throws Problem 429 when there is none, and as many requests of the team wait as may
 */
export function waitForEvents({ reads, watch }: Parts) {
  const takePlace = openPlaces(PLACES);
  return async (scope: ProjectScope, query: EventQuery, openEnd: () => AbortSignal) => {
    const read = (from: EventQuery) =>
      reads(scope.teamId, async em => {
        // Before the page: what is recorded after it is behind this position.
        const [position = 0] = await readPositions(em.fork(), [scope]);
        return { position, page: await listEvents(em, scope, from) };
      });
    const isFinal = ({ events, hasMore }: Awaited<ReturnType<typeof listEvents>>) => events.length > 0 || hasMore;

    let { position, page } = await read(query);
    if (isFinal(page) || query.order === 'desc') return page;
    const leave = takePlace(scope.teamId);
    if (!leave) throw tooManyWait();
    try {
      const end = openEnd();
      for (;;) {
        const seen = position;
        await watch.until(scope, newest => newest > seen, end);
        if (end.aborted) return page;
        const cursor = page.nextCursor === null ? undefined : z.decode(cursorText, page.nextCursor);
        const next = await read({ ...query, cursor }).catch(noPlace);
        if (next) ({ position, page } = next);
        if (isFinal(page)) return page;
        await pause(QUIET_MS, undefined, { signal: end }).catch(() => undefined);
      }
    } finally {
      leave();
    }
  };
}

/** The other reads of the team take all its places: a request that waits anyway looks again later. */
function noPlace(err: unknown): undefined {
  if (!(err instanceof Problem && err.kind === 'rate_limited')) throw err;
}

const tooManyWait = (): Problem =>
  new Problem('rate_limited', 'rate_limited', `More than ${PLACES.ofTeam} requests of the team wait for events.`, {
    retryAfterSeconds: 2,
  });
