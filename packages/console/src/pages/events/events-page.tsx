import type { WebhookEvent } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { SearchFilter, SelectFilter, useFilters } from '#layout/filters.tsx';
import { exportedColumn, ListPage } from '#layout/list-page.tsx';
import type { Column } from '#layout/list-table.tsx';
import { Card } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { linkColumn } from '#resource/tables.tsx';
import { formatCount } from '#ui/amount.ts';
import { EmptyState } from '#ui/states.tsx';
import { EVENT_STATUS, StatusBadge } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { EventsTabs } from './events-tabs.tsx';
import { explainError } from './reasons.ts';

const LIVE_MS = 2_500;
const FAILED_SHOWN = 3;
const PLACES = { team: { name: 'Whole team' }, none: { name: 'Without a project' } } as const;

const typeOf = ({ type }: WebhookEvent) => type;
const COLUMNS: readonly Column<WebhookEvent>[] = [
  { ...linkColumn('Type', ({ id }) => `events/${id}`, typeOf), least: 180, csv: typeOf },
  {
    title: 'Status',
    width: 'status',
    cell: ({ status }) => <StatusBadge of={EVENT_STATUS[status]} />,
    csv: ({ status }) => status,
  },
  { title: 'Error', cell: ({ error }) => error, csv: ({ error }) => error },
  { title: 'Object', least: 180, cell: ({ objectId }) => <code>{objectId}</code>, csv: ({ objectId }) => objectId },
  {
    title: 'Received',
    width: 'ago',
    cell: ({ receivedAt }) => <Time at={receivedAt} show="relative" />,
    csv: ({ receivedAt }) => receivedAt,
  },
];
const EXPORTED: readonly Column<WebhookEvent>[] = [exportedColumn('Id', ({ id }) => id), ...COLUMNS];

/** The webhook events of the project or of the whole team, as they arrive. */
export function EventsPage() {
  const { billing, team, key } = useProject();
  const filters = useFilters();
  const status = filters.oneOf('status', EVENT_STATUS);
  const place = filters.oneOf('of', PLACES);
  const type = filters.text('type') || undefined;
  const objectId = filters.text('objectId') || undefined;
  const shown = { status, type, objectId };
  const isFiltered = [status, type, objectId, place].some(Boolean);
  const list = (page: { limit: number; offset: number }, signal: AbortSignal) =>
    place === undefined
      ? billing.webhookEvents.list({ ...shown, ...page }, { signal })
      : team.webhookEvents.list({ ...shown, ...(place === 'none' && { projectId: place }), ...page }, { signal });
  return (
    <ListPage
      title="Events"
      lead="What Stripe has sent, where it went, and what came of it."
      actions={<span className="live">Live</span>}
      nouns={['event', 'events']}
      exported={{ name: 'webhook-events', columns: EXPORTED }}
      filters={
        <>
          <SelectFilter name="status" label="Status" options={EVENT_STATUS} all="All statuses" />
          <SelectFilter name="of" label="Events of" options={PLACES} all="This project" />
          <SearchFilter name="type" label="Type, such as invoice.paid" />
          <SearchFilter name="objectId" label="Object, such as sub_1Rq…" />
        </>
      }
      queryKey={key('events', { ...shown, place })}
      list={list}
      columns={COLUMNS}
      rowKey={({ id }) => id}
      refreshMs={LIVE_MS}
      empty={
        <EmptyState icon="events" title={isFiltered ? 'No event matches' : 'No event has arrived yet'}>
          {isFiltered
            ? 'Choose other filters to see more.'
            : 'Stripe sends an event for everything that happens in the account. The first one appears here within a second.'}
        </EmptyState>
      }
    >
      <EventsTabs />
      {status !== 'failed' && <FailedEvents />}
    </ListPage>
  );
}

/** The newest failed events come first, also those for which no project was found: somebody should look at them. */
function FailedEvents() {
  const { team, teamKey } = useProject();
  const { data } = useQuery({
    queryKey: teamKey('failed-events'),
    queryFn: ({ signal }) => team.webhookEvents.list({ status: 'failed', limit: FAILED_SHOWN }, { signal }).page(),
    refetchInterval: LIVE_MS * 4,
  });
  if (!data || data.total === 0) return null;
  return (
    <Card
      title={data.total === 1 ? 'One event has failed' : `${formatCount(data.total)} events have failed`}
      lead="In any project of the team, or in none."
      flush
      actions={
        <ProjectLink page="events" search={{ status: 'failed', of: 'team' }} className="button small">
          Show all
        </ProjectLink>
      }
    >
      <ul className="people" aria-label="Newest failed events">
        {data.items.map(event => (
          <li key={event.id}>
            <div className="grow">
              <ProjectLink page={`events/${event.id}`}>
                <bdi>{event.type}</bdi>
              </ProjectLink>
              <div className="muted truncate" dir="auto">
                {explainError(event)}
              </div>
            </div>
            <span className="muted small">
              <Time at={event.receivedAt} show="relative" />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
