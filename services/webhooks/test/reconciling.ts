import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProcessorEventType } from '@billing/contracts/processor-events';
import type { TeamProcessors } from '@billing/processor/team-processors';
import { openLeaseQueue } from '@billing/database/lease-queue';
import { leaseTeams } from '../src/receipt/reconciliations.ts';
import type { LeasedEvent } from '../src/pipeline/lease.ts';
import { openWindow } from '../src/pipeline/lease.ts';
import { storeEvents } from '../src/receipt/store.ts';
import type { Logger } from 'pino';
import { openReconciler } from '../src/receipt/reconciler.ts';
import { newCredentials, type Team, type WebhooksService } from './start-webhooks.ts';

interface Copy {
  readonly em: EntityManager;
  readonly processors: TeamProcessors;
  readonly logger: Logger;
}

/** Leases nothing to whoever stores: any running pipeline processes it. */
export const withoutQueue = () => ({
  ...openLeaseQueue<LeasedEvent>({ maxAgeMs: 0, sizeOf: () => 0 }),
  hasRoom: () => false,
});

export const unlimited = { bytes: Number.MAX_SAFE_INTEGER, note: () => undefined };

/** The reconciler of one copy of the service. It leases no events, so that any running pipeline processes them. */
export function reconcilerOf(
  { em, processors, logger }: Copy,
  {
    graceMs = 0,
    intervalMs = 3_600_000,
    isOverloaded = () => false,
    quota = unlimited,
  }: Partial<Parameters<typeof openReconciler>[0]> & Partial<Pick<Parameters<typeof storeEvents>[0], 'quota'>> = {},
) {
  return openReconciler({
    em,
    processors,
    store: storeEvents({ em, stored: withoutQueue(), rooms: openWindow(em), quota }),
    logger,
    graceMs,
    intervalMs,
    pollMs: 50,
    isOverloaded,
    continueTrace: (_team, _event, store) => store({}),
  });
}

/** Reconciles a team now, whether or not it is due; returns how many events were recovered. */
export async function reconcileNow(service: WebhooksService, { teamId }: Team, graceMs?: number): Promise<number> {
  await makeDue(service, teamId);
  const team = (await leaseTeams(service.em, 100)).find(it => it.teamId === teamId);
  if (!team) throw new Error('The team was not due.');
  return reconcilerOf(service, { graceMs: graceMs ?? 0 }).reconcile(team);
}

export const makeDue = ({ sql }: Pick<WebhooksService, 'sql'>, teamId: string) =>
  sql('update reconciliations set due_at = now() where team_id = ?', [teamId]);

/** Starts a reconciler that scans due teams without pauses. */
export const startEagerReconciler = (copy: Copy, isOverloaded?: () => boolean) =>
  reconcilerOf(copy, { intervalMs: 100, ...(isOverloaded && { isOverloaded }) }).start();

/** A connected team whose account at the local processor posts its events to `url`, signed with the team's secret. */
export async function newTeamWithEndpoint(
  service: WebhooksService,
  url: string,
  types: readonly ProcessorEventType[] | readonly ['*'] = ['*'],
): Promise<Team> {
  const team = await service.newTeam();
  const { secretKey, teamId } = team;
  const endpoint = await service.stripeOf(team).webhookEndpoints.create({
    url: `${url}/api/webhooks/processor/${teamId}`,
    enabled_events: [...types],
  });
  const webhookSecret = endpoint.secret ?? '';
  await service.connect(teamId, { ...newCredentials(), secretKey, webhookSecret });
  return { ...team, webhookSecret };
}
