import type { WebhookAttempt, WebhookDelivery } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { unlessMissing } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { DataTable } from '#layout/data-table.tsx';
import type { Column } from '#layout/list-table.tsx';
import { LoadingPage } from '#layout/loading.tsx';
import { Card, Page } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { useWrite } from '#layout/use-write.ts';
import { JsonTree } from '#pages/events/json-tree.tsx';
import { openColumn } from '#resource/tables.tsx';
import { Button } from '#ui/button.tsx';
import { CopyableId, CopyButton } from '#ui/copy.tsx';
import { Details } from '#ui/details.tsx';
import { Dialog } from '#ui/dialog.tsx';
import { EmptyState } from '#ui/states.tsx';
import { DELIVERY_STATUS, StatusBadge } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { AttemptDetails } from './attempt-details.tsx';
import { attemptOutcome, TRIGGERS } from './attempt-outcome.ts';
import { EndpointUrl, NextAttempt } from './deliveries.tsx';
import { endpointQuery } from './endpoint-queries.ts';
import { curlScript, sentHeaders } from './sent-request.ts';

const UP = { page: 'webhook-endpoints', title: 'Webhook endpoints' } as const;
/** How often it is looked what became of an attempt. */
const PENDING_MS = 1_000;
const SETTLED_MS = 5_000;

/** One event on its way to one endpoint: each attempt, what was sent, and what came back. */
export function DeliveryPage() {
  const { billing, key } = useProject();
  const { webhookDeliveryId = '' } = useParams({ strict: false });
  const query = useQuery({
    queryKey: key('webhook-deliveries', 'one', webhookDeliveryId),
    queryFn: ({ signal }) => billing.webhookDeliveries.get(webhookDeliveryId, { signal }),
    refetchInterval: found =>
      unlessMissing(found.state.data?.delivery.status === 'pending' ? PENDING_MS : SETTLED_MS)(found),
  });
  const retry = useWrite({
    write: () => billing.webhookDeliveries.retry(webhookDeliveryId),
    stale: [key('webhook-deliveries')],
    done: 'The event is sent again.',
    failed: 'The event was not sent again.',
  });
  const [shown, setShown] = useState<WebhookAttempt>();
  const { data } = query;
  if (!data) return <LoadingPage query={query} title="Delivery" up={UP} />;
  const { delivery, event, attempts } = data;
  return (
    <Page
      title={event.type}
      up={{ page: `webhook-endpoints/${delivery.endpointId}`, title: 'Webhook endpoint' }}
      actions={
        <Button kind="primary" icon="retry" busy={retry.isPending} onClick={() => retry.mutate()}>
          Send again
        </Button>
      }
    >
      <Card title="Delivery">
        <DeliveryDetails delivery={delivery} />
      </Card>
      <Card title="Attempts" flush>
        {attempts.length === 0 ? (
          <EmptyState icon="send" title="Not tried yet" />
        ) : (
          <DataTable
            rows={attempts.toReversed()}
            columns={attemptColumns(setShown)}
            rowKey={({ number }) => String(number)}
          />
        )}
      </Card>
      <Card
        title="Body"
        lead="As it is sent at every attempt."
        actions={<CurlButton delivery={delivery} body={JSON.stringify(event)} />}
      >
        <JsonTree value={event} />
      </Card>
      {shown && (
        <Dialog title={`Attempt ${shown.number}`} onClose={() => setShown(undefined)}>
          <AttemptDetails attempt={shown}>
            <h3>Request headers</h3>
            <Details of={sentHeaders(event.id, shown.at)} />
          </AttemptDetails>
        </Dialog>
      )}
    </Page>
  );
}

function DeliveryDetails({ delivery }: { readonly delivery: WebhookDelivery }) {
  const { id, eventId, endpointId, status, nextAttemptAt, createdAt } = delivery;
  return (
    <Details
      of={{
        Status: <StatusBadge of={DELIVERY_STATUS[status]} />,
        'Next attempt': nextAttemptAt && <NextAttempt at={nextAttemptAt} show="seconds" />,
        Begun: <Time at={createdAt} show="seconds" />,
        Event: (
          <ProjectLink page={`events/to-you/${eventId}`}>
            <code>{eventId}</code>
          </ProjectLink>
        ),
        Endpoint: (
          <ProjectLink page={`webhook-endpoints/${endpointId}`}>
            <EndpointUrl id={endpointId} />
          </ProjectLink>
        ),
        Id: <CopyableId id={id} />,
      }}
    />
  );
}

const attemptColumns = (open: (attempt: WebhookAttempt) => void): readonly Column<WebhookAttempt>[] => [
  openColumn('Attempt', ({ number }) => `Attempt ${number}`, open),
  { title: 'Result', least: 230, cell: attempt => <StatusBadge of={attemptOutcome(attempt)} /> },
  { title: 'Trigger', cell: ({ trigger }) => TRIGGERS[trigger] },
  { title: 'Took', width: 'count', cell: ({ durationMs }) => `${durationMs} ms`, end: true },
  { title: 'Begun', width: 212, cell: ({ at }) => <Time at={at} show="seconds" /> },
];

function CurlButton({ delivery, body }: { readonly delivery: WebhookDelivery; readonly body: string }) {
  const { data: endpoint } = useQuery(endpointQuery(useProject(), delivery.endpointId));
  if (!endpoint) return null;
  return (
    <CopyButton text={curlScript({ url: endpoint.url, eventId: delivery.eventId, body })}>Copy as curl</CopyButton>
  );
}
