import type { WebhookEvent } from '@billing/client';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { Loading } from '#layout/loading.tsx';
import { Card } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { Icon } from '#ui/icon.tsx';
import { EVENT_STATUS, StatusBadge } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { describeChange, saysMore } from './describe-change.ts';

const SHOWN = 10;
const REFRESH_MS = 5_000;

/** What changed about an object of Stripe and who caused it, from the webhook events about it, which every member may read. */
export function WebhookChanges({ objectId }: { readonly objectId: string }) {
  const { billing, key } = useProject();
  const query = useQuery({
    queryKey: key('events', { objectId }, 'newest'),
    queryFn: ({ signal }) => billing.webhookEvents.list({ objectId, limit: SHOWN }, { signal }).page(),
    refetchInterval: REFRESH_MS,
  });
  const events = query.data?.items ?? [];
  return (
    <Card
      title="Changes"
      lead="From Stripe’s webhook events."
      actions={
        <ProjectLink page="events" search={{ objectId }} className="button small">
          Show all
        </ProjectLink>
      }
    >
      <Loading query={query} lines={3} />
      {query.data && events.length === 0 && (
        <p className="muted">No event about it has arrived: it was imported, or its events are too old.</p>
      )}
      <Changes events={events} />
    </Card>
  );
}

/** What a reader may have to wait for, or care for. */
const PENDING: ReadonlySet<WebhookEvent['status']> = new Set(['received', 'failed']);

function Changes({ events }: { readonly events: readonly WebhookEvent[] }) {
  const { team, teamKey } = useProject();
  const payloads = useQueries({
    queries: events.map(({ id, type }) => ({
      queryKey: teamKey('event', id, 'payload'),
      queryFn: ({ signal }: { signal: AbortSignal }) => team.webhookEvents.get(id, { signal }),
      // What Stripe sent stays what it is.
      staleTime: Infinity,
      enabled: saysMore(type),
    })),
  });
  return (
    <ol className="timeline">
      {events.map((event, index) => {
        const change = describeChange(event.type, payloads[index]?.data?.payload ?? null);
        return (
          <li key={event.id}>
            <Icon name="events" />
            <div>
              <ProjectLink page={`events/${event.id}`}>{change.text}</ProjectLink>{' '}
              {PENDING.has(event.status) && <StatusBadge of={EVENT_STATUS[event.status]} />}
              <div className="muted small">
                <Time at={event.processorCreatedAt} show="relative" />
                {change.by && `, ${change.by}`}
              </div>
            </div>
          </li>
        );
      })}
    </ol>
  );
}
