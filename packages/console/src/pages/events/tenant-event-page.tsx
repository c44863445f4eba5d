import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { LoadingPage } from '#layout/loading.tsx';
import { Card, Page } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { Button } from '#ui/button.tsx';
import { CopyableId } from '#ui/copy.tsx';
import { Details } from '#ui/details.tsx';
import { sentence } from '#ui/sentence.ts';
import { Time } from '#ui/time.tsx';
import { DeliveriesOf } from '../webhooks/deliveries.tsx';
import { SendDialog } from '../webhooks/send-dialog.tsx';
import { CAUSES } from './causes.ts';
import { JsonTree } from './json-tree.tsx';
import { objectPage } from './object-page.ts';

const UP = { page: 'events/to-you', title: 'Events to you' } as const;

/** One event for the project's own systems: what changed and why, and where it was delivered to. */
export function TenantEventPage() {
  const { billing, key } = useProject();
  const { publicEventId = '' } = useParams({ strict: false });
  const query = useQuery({
    queryKey: key('tenant-events', 'one', publicEventId),
    queryFn: ({ signal }) => billing.events.get(publicEventId, { signal }),
    staleTime: 60_000,
  });
  const [isSending, setIsSending] = useState(false);
  const { data: event } = query;
  if (!event) return <LoadingPage query={query} title="Event" up={UP} />;
  const { object, cause } = event;
  const place = objectPage(object);
  return (
    <Page
      title={event.type}
      up={UP}
      actions={
        <Button icon="send" onClick={() => setIsSending(true)}>
          Send to an endpoint…
        </Button>
      }
    >
      <Card title="What happened">
        <Details
          of={{
            Happened: <Time at={event.timestamp} show="seconds" />,
            [sentence(object.type)]: place ? (
              <ProjectLink {...place}>
                <code>{object.id}</code>
              </ProjectLink>
            ) : (
              <CopyableId id={object.id} />
            ),
            Change: `number ${object.sequence} of this object`,
            Position: event.position,
            Cause: CAUSES[cause.type],
            'Request id': cause.requestId && <CopyableId id={cause.requestId} />,
            'Event of Stripe': cause.processorEventId && <CopyableId id={cause.processorEventId} />,
            Mode: event.livemode ? 'live' : 'test',
            Id: <CopyableId id={event.id} />,
          }}
        />
      </Card>
      <Card title="Deliveries" flush>
        <DeliveriesOf eventId={event.id} />
      </Card>
      <Card title="Body" lead="As endpoints get it, and as it is read with a cursor.">
        <JsonTree value={event} />
      </Card>
      {isSending && <SendDialog eventId={event.id} onClose={() => setIsSending(false)} />}
    </Page>
  );
}
