import type { WebhookEndpoint } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { DataTable } from '#layout/data-table.tsx';
import type { Column } from '#layout/list-table.tsx';
import { Loading } from '#layout/loading.tsx';
import { Card, Page } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { Button } from '#ui/button.tsx';
import { EmptyState } from '#ui/states.tsx';
import { ENDPOINT_STATUS, StatusBadge } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { EndpointDialog } from './endpoint-dialog.tsx';
import { endpointsQuery } from './endpoint-queries.ts';
import { Lag } from './endpoint-state.tsx';
import { describeTypes } from './event-types.ts';
import { RecentSuccess } from './recent-success.tsx';

const COLUMNS: readonly Column<WebhookEndpoint>[] = [
  {
    title: 'Endpoint',
    cell: ({ id, url, description }) => (
      <>
        <ProjectLink page={`webhook-endpoints/${id}`} className="primary-cell">
          <div className="truncate">{url}</div>
        </ProjectLink>
        {description && (
          <div className="muted small truncate" dir="auto">
            {description}
          </div>
        )}
      </>
    ),
  },
  {
    title: 'Events',
    cell: ({ eventTypes }) => <span title={eventTypes.join(', ')}>{describeTypes(eventTypes)}</span>,
  },
  { title: 'Status', cell: ({ status }) => <StatusBadge of={ENDPOINT_STATUS[status]} /> },
  { title: 'Arrived in 24 h', cell: ({ id }) => <RecentSuccess endpointId={id} /> },
  { title: 'Waiting', cell: ({ lag }) => <Lag of={lag} /> },
  { title: 'Last success', cell: ({ lastSuccessAt }) => <Time at={lastSuccessAt} show="relative" /> },
];

/** The addresses that the project's events are posted to. */
export function EndpointsPage() {
  const query = useQuery(endpointsQuery(useProject()));
  const { data: endpoints } = query;
  const [isCreating, setIsCreating] = useState(false);
  const create = (
    <Button kind="primary" icon="plus" onClick={() => setIsCreating(true)}>
      New endpoint
    </Button>
  );
  return (
    <Page
      title="Webhook endpoints"
      lead="Addresses of yours that each change of this project is posted to, signed and in order."
      actions={create}
    >
      <Card flush>
        <Loading query={query} lines={3} flush />
        {endpoints?.length === 0 && (
          <EmptyState icon="send" title="No endpoints yet" action={create}>
            An endpoint gets the events that happen after it was made. Your systems can also read all of them with a
            cursor, without one.
          </EmptyState>
        )}
        {endpoints && endpoints.length > 0 && <DataTable rows={endpoints} columns={COLUMNS} rowKey={({ id }) => id} />}
      </Card>
      {isCreating && <EndpointDialog onClose={() => setIsCreating(false)} />}
    </Page>
  );
}
