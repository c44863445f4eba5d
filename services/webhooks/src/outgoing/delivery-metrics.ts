import { metrics } from '@opentelemetry/api';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Gauge } from '@billing/service/gauges';
import { isSuccess } from './endpoint-health.rules.ts';
import type { Sent } from './sender.ts';
import type { Slots } from './slots.ts';

/** Counts the attempts of this process by how they ended, and how long they took. */
export function deliveryMetrics(): (sent: Sent) => void {
  const meter = metrics.getMeter('@billing/webhooks');
  const attempts = meter.createCounter('billing.delivery.attempts', {
    description:
      'Attempts to deliver an event to an endpoint, by outcome; `address_not_allowed` are refused addresses.',
  });
  const durations = meter.createHistogram('billing.delivery.duration', {
    description: 'How long an attempt to deliver an event took.',
    unit: 's',
  });
  return ({ responseStatus, error, durationMs }) => {
    const outcome = isSuccess(responseStatus) ? 'succeeded' : (error ?? 'refused');
    attempts.add(1, { outcome });
    durations.record(durationMs / 1_000, { outcome });
  };
}

interface Observed {
  readonly slots: Pick<Slots, 'taken' | 'pausing'>;
  readonly watch: { readonly waiting: () => number };
}

/** What is observed of events and their deliveries. */
export const deliveryGauges = (em: EntityManager, { slots, watch }: Observed): Gauge[] => [
  {
    name: 'billing.events.waiting_requests',
    description: 'Requests of this process that wait for events.',
    read: async () => [{ value: watch.waiting() }],
  },
  {
    name: 'billing.delivery.on_their_way',
    description: 'Requests of this process to endpoints that are on their way.',
    read: async () => [{ value: slots.taken() }],
  },
  {
    name: 'billing.delivery.pausing_teams',
    description: 'Teams whose deliveries wait in this process, since they have used up their pace.',
    read: async () => [{ value: slots.pausing() }],
  },
  {
    name: 'billing.delivery.endpoints',
    description: 'Endpoints by state.',
    read: async () => {
      const rows = await em.fork().execute<{ status: string; count: number }[]>(
        `select s.status, count(e.id)::int as count from unnest(array['enabled', 'failing', 'disabled']) as s(status)
             left join webhook_endpoints e using (status) group by 1`,
      );
      return rows.map(({ status, count }) => ({ value: count, attributes: { status } }));
    },
  },
  {
    name: 'billing.delivery.lag',
    description: 'How long the oldest event waits for an endpoint that does not fail; 0 when none does.',
    unit: 's',
    read: async () => {
      const [row] = await em.fork().execute<{ age: number | null }[]>(
        `select extract(epoch from clock_timestamp() - min(waiting.recorded_at))::float8 as age
           from webhook_endpoints e cross join lateral (
             select recorded_at from events v
              where (v.team_id, v.project_id) = (e.team_id, e.project_id) and v.position > e.position
              order by v.position limit 1) waiting
          where e.status = 'enabled' and e.wanted_position > e.position`,
      );
      return [{ value: Math.max(0, row?.age ?? 0) }];
    },
  },
];
