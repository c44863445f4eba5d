import type { WebhookDelivery } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useProject } from '#api/project.ts';
import { CursorTable } from '#layout/cursor-table.tsx';
import { SelectFilter, useFilters } from '#layout/filters.tsx';
import type { Column } from '#layout/list-table.tsx';
import { Card } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { EmptyState } from '#ui/states.tsx';
import { DELIVERY_STATUS, StatusBadge } from '#ui/statuses.tsx';
import { Time, useNow } from '#ui/time.tsx';
import { endpointsQuery } from './endpoint-queries.ts';
import { TYPE_NAMES } from './event-types.ts';

const REFRESH_MS = 2_500;

/** A column with the link to a delivery. */
const linked = (title: string, textOf: (delivery: WebhookDelivery) => ReactNode): Column<WebhookDelivery> => ({
  title,
  cell: delivery => (
    <ProjectLink page={`webhook-deliveries/${delivery.id}`} className="primary-cell">
      <div className="truncate">{textOf(delivery)}</div>
    </ProjectLink>
  ),
});

const STATE: readonly Column<WebhookDelivery>[] = [
  { title: 'Status', width: 'status', cell: ({ status }) => <StatusBadge of={DELIVERY_STATUS[status]} /> },
  { title: 'Attempts', width: 'count', cell: ({ attempts }) => attempts, end: true },
  {
    title: 'Next attempt',
    width: 130,
    cell: ({ nextAttemptAt }) => <NextAttempt at={nextAttemptAt} show="relative" />,
  },
  { title: 'Begun', width: 'ago', cell: ({ createdAt }) => <Time at={createdAt} show="relative" /> },
];

const OF_ENDPOINT = [linked('Event', ({ type }) => type), ...STATE];
const OF_EVENT = [linked('Endpoint', ({ endpointId }) => <EndpointUrl id={endpointId} />), ...STATE];

/** What was delivered to an endpoint, newest first. */
export function Deliveries({ endpointId }: { readonly endpointId: string }) {
  const { billing, key } = useProject();
  const filters = useFilters();
  const status = filters.oneOf('status', DELIVERY_STATUS);
  const type = filters.oneOf('type', TYPE_NAMES);
  const shown = { endpointId, status, type };
  return (
    <Card
      title="Deliveries"
      flush
      actions={
        <div className="filters">
          <SelectFilter name="status" label="Status" options={DELIVERY_STATUS} all="All statuses" />
          <SelectFilter name="type" label="Type" options={TYPE_NAMES} all="All types" />
        </div>
      }
    >
      <CursorTable<WebhookDelivery>
        label="Deliveries"
        queryKey={key('webhook-deliveries', shown)}
        list={(page, signal) => billing.webhookDeliveries.list({ ...shown, ...page }, { signal })}
        columns={OF_ENDPOINT}
        rowKey={({ id }) => id}
        refreshMs={REFRESH_MS}
        empty={
          <EmptyState icon="send" title={status || type ? 'No delivery matches' : 'Nothing was sent yet'}>
            {status || type
              ? 'Choose other filters to see more.'
              : 'Change something in this project: its event appears here within seconds. Tests are not listed.'}
          </EmptyState>
        }
      />
    </Card>
  );
}

/** Where one event was delivered to. */
export function DeliveriesOf({ eventId }: { readonly eventId: string }) {
  const { billing, key } = useProject();
  return (
    <CursorTable<WebhookDelivery>
      label="Deliveries"
      queryKey={key('webhook-deliveries', { eventId })}
      list={(page, signal) => billing.webhookDeliveries.list({ eventId, ...page }, { signal })}
      columns={OF_EVENT}
      rowKey={({ id }) => id}
      refreshMs={REFRESH_MS}
      empty={
        <EmptyState icon="send" title="It was sent nowhere">
          No endpoint gets events of its type, or none has got to it yet.
        </EmptyState>
      }
    />
  );
}

interface NextAttemptProps {
  readonly at: string | null;
  readonly show: 'seconds' | 'relative';
}

/** When a delivery is tried next. What is due is on its way, or waits while its endpoint fails or has enough to do. */
export function NextAttempt({ at, show }: NextAttemptProps) {
  const now = useNow();
  return at && new Date(at) <= now ? 'due' : <Time at={at} show={show} />;
}

/** The address of an endpoint of the project. */
export function EndpointUrl({ id }: { readonly id: string }) {
  const { data: endpoints } = useQuery(endpointsQuery(useProject()));
  return endpoints?.find(endpoint => endpoint.id === id)?.url ?? id;
}
