import { claimTeams } from '#healing/claim-team.ts';
import { healTeam } from '#healing/heal-team.ts';
import { startHealer } from '#healing/healer.ts';
import type { ProcessorEventType } from '@billing/contracts/processor-events';
import { stripeClient } from '@billing/processor/stripe-client';
import { newCredentials, type Service, type Team } from './service.ts';

type Copy = Pick<Service, 'database' | 'processors'>;

/** What a healer of this copy does about one team; nothing is left alone for being young unless told. */
export function healingOf({ logger }: Service, { database, processors }: Copy, graceMs = 0) {
  return healTeam({ em: database.em, processors, logger, graceMs });
}

/** Has one team looked through now, whatever time it is; answers how many events were recovered. */
export async function healNow(service: Service, { teamId }: Team, graceMs?: number): Promise<number> {
  await service.admin.query('update webhooks.healing_cursors set due_at = now() where team_id = $1', [teamId]);
  const claimed = await claimTeams(service.database.em, 100);
  const team = claimed.find(it => it.teamId === teamId);
  if (!team) throw new Error('The team was not due.');
  const signal = new AbortController().signal;
  return healingOf(service, service, graceMs)(team, { pauseMs: 3_600_000, signal });
}

/** Starts a healer that looks all the time. */
export const startEagerHealer = (service: Service, copy: Copy = service, graceMs = 0) =>
  startHealer({
    em: copy.database.em,
    heal: healingOf(service, copy, graceMs),
    onRecovered: () => undefined,
    logger: service.logger,
    intervalMs: 100,
    lookMs: 50,
  });

/** A connected team whose account at the processor posts every event to `url`, signed with the team's secret. */
export async function newTeamWithEndpoint(
  service: Service,
  url: string,
  types: readonly ProcessorEventType[] | readonly ['*'] = ['*'],
): Promise<Team> {
  const team = await service.newTeam();
  const { secretKey, teamId } = team;
  const stripe = stripeClient(secretKey, service.stripe.url);
  const endpoint = await stripe.webhookEndpoints.create({
    url: `${url}/api/webhooks/processor/${teamId}`,
    enabled_events: [...types],
  });
  const webhookSecret = endpoint.secret ?? '';
  await service.connect(teamId, { ...newCredentials(), secretKey, webhookSecret });
  return { ...team, webhookSecret };
}
