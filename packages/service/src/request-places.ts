import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import type { DatabaseOptions } from '@billing/database/database';
import { onReadConnections } from '@billing/database/read-connections';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Gauge } from './gauges.ts';
import { openTeamPlaces, type TeamPlaces } from './team-places.ts';

/** `reads` of our own tables; `calls`: writes, and whatever may wait for Stripe or another service. */
export type PlaceKind = 'reads' | 'calls';

/** The places of a process's requests; `polls` are for single reads of requests that wait for long. */
export type RequestPlaces = Readonly<Record<PlaceKind | 'polls', TeamPlaces>>;

const CONNECTIONS = 6;
/** The connections of reads: slow reads must take none from writes and events, and each statement ends. */
export const READ_POOL = {
  poolName: 'reads',
  poolSize: CONNECTIONS,
  statementMs: 5_000,
} satisfies Partial<DatabaseOptions>;

/** Who waits for Stripe must not keep other teams from calling it, so calls have no limit of all teams together. */
export const openRequestPlaces = (): RequestPlaces => ({
  reads: openTeamPlaces({ ofAll: CONNECTIONS, ofTeam: 2, maxWaiting: 100 }),
  polls: openTeamPlaces({ ofAll: CONNECTIONS, ofTeam: 2, maxWaiting: 100 }),
  calls: openTeamPlaces({ ofTeam: 8, maxWaiting: 100 }),
});

/** What a service observes of its places. */
export const placeGauges = (places: Readonly<Record<string, TeamPlaces>>): Gauge[] => [
  {
    name: 'billing.team_places',
    description: 'Requests of teams that have a place, and that wait for one, by the kind of place.',
    read: async () =>
      Object.entries(places).flatMap(([kind, one]) => {
        const { taken, waiting } = one.count();
        return [
          { value: taken, attributes: { kind, state: 'taken' } },
          { value: waiting, attributes: { kind, state: 'waiting' } },
        ];
      }),
  },
];

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Returns whether a method changes nothing. */
export const isRead = (method: string): boolean => READS.has(method);

interface PlaceParts {
  readonly places: RequestPlaces | undefined;
  readonly readEm: EntityManager | undefined;
  readonly teamOf: (request: FastifyRequest) => TeamId | null | undefined;
}

/**
 * Makes each request to a route that is added from here on hold a place of its team while its handler runs. A request without
 * a team takes none unless its handler does, with `takePlace`: a webhook has budgets of its own.
 */
export function takePlaces(app: FastifyInstance, { places, readEm, teamOf }: PlaceParts): void {
  const take = async (request: FastifyRequest, kind: PlaceKind, teamId: TeamId): Promise<void> => {
    if (places && !request.leavePlace) request.leavePlace = await places[kind].take(teamId);
  };
  app.decorateRequest('leavePlace', null);
  app.decorateRequest('takePlace', function takePlace(this: FastifyRequest, teamId: TeamId) {
    return take(this, 'calls', teamId);
  });
  app.addHook('onRoute', route => {
    const { handler } = route;
    route.handler = async function handleInPlace(request, reply) {
      const { placeOf } = request.routeOptions.config;
      const kind = placeOf ? placeOf(request.query) : isRead(request.method) ? 'reads' : 'calls';
      const teamId = teamOf(request);
      const handle = async (): Promise<unknown> => handler.call(this, request, reply);
      try {
        if (!kind || !teamId) return await handle();
        await take(request, kind, teamId);
        return await (kind === 'reads' && readEm ? onReadConnections(readEm, handle) : handle());
      } finally {
        request.leavePlace?.();
        request.leavePlace = null;
      }
    };
  });
}
