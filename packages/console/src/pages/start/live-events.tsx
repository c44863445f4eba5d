import { useQuery } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { ProjectLink } from '#layout/project-link.tsx';
import { EVENT_STATUS, StatusBadge } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';

const LIVE_MS = 1_000;
/** A first payment sends about nine. */
const SHOWN = 12;

/** The newest webhook events, as they arrive. */
export function LiveEvents() {
  const { billing, key } = useProject();
  const { data } = useQuery({
    queryKey: key('events', 'newest'),
    queryFn: ({ signal }) => billing.webhookEvents.list({ limit: SHOWN }, { signal }).page(),
    refetchInterval: LIVE_MS,
  });
  return (
    <div className="live-events" role="log" aria-label="Webhook events as they arrive">
      <span className="live">{data?.items.length ? 'Webhooks, as they arrive' : 'Waiting for the first webhook'}</span>
      <ul>
        {data?.items.map(({ id, type, status, receivedAt }) => (
          <li key={id}>
            <StatusBadge of={EVENT_STATUS[status]} />
            <ProjectLink page={`events/${id}`} className="grow truncate">
              {type}
            </ProjectLink>
            <Time at={receivedAt} show="relative" />
          </li>
        ))}
      </ul>
    </div>
  );
}
