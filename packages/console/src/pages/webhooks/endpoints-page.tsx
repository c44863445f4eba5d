import type { WebhookEndpoint } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import type { Column } from '#layout/list-table.tsx';
import { Card, Page } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { useCreate } from '#resource/dialog-button.tsx';
import { QueryTable } from '#resource/tables.tsx';
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
  { title: 'Status', width: 'status', cell: ({ status }) => <StatusBadge of={ENDPOINT_STATUS[status]} /> },
  { title: 'Arrived in 24 h', width: 130, cell: ({ id }) => <RecentSuccess endpointId={id} /> },
  { title: 'Waiting', width: 190, cell: ({ lag }) => <Lag of={lag} /> },
  { title: 'Last success', width: 'ago', cell: ({ lastSuccessAt }) => <Time at={lastSuccessAt} show="relative" /> },
];

/** The addresses that the project's events are posted to. */
export function EndpointsPage() {
  const query = useQuery(endpointsQuery(useProject()));
  const create = useCreate('New endpoint', <EndpointDialog />);
  return (
    <Page
      title="Webhook endpoints"
      lead="Addresses of yours that each change of this project is posted to, signed and in order."
      actions={create.button}
    >
      <Card flush>
        <QueryTable
          queries={[query]}
          lines={3}
          rows={query.data}
          columns={COLUMNS}
          rowKey={({ id }) => id}
          empty={
            <EmptyState icon="send" title="No endpoints yet" action={create.button}>
              An endpoint gets the events that happen after it was made. Your systems can also read all of them with a
              cursor, without one.
            </EmptyState>
          }
        />
      </Card>
      {create.dialog}
    </Page>
  );
}
