import type { EntityManager } from '@mikro-orm/postgresql';
import type { Gauge } from '@billing/service/gauges';

/** Teams that are named; the others of a flood would make too many series. */
const NAMED_TEAMS = 10;

/** Names the teams with the most events that wait: which tenant it is, when many do. */
export const busiestTeams = (em: EntityManager): Gauge => ({
  name: 'billing.webhook.waiting_events',
  description: `Webhook events that wait to be processed, of the ${NAMED_TEAMS} teams that have the most.`,
  read: async () => {
    const rows = await em.fork().execute<{ team_id: string; count: number }[]>(
      `select team_id, count(*)::int as count from webhook_events
        where due_at is not null group by team_id order by count(*) desc, team_id limit ?`,
      [NAMED_TEAMS],
    );
    if (rows.length === 0) return [{ value: 0 }];
    return rows.map(({ team_id: team, count }) => ({ value: count, attributes: { 'billing.team.id': team } }));
  },
});
