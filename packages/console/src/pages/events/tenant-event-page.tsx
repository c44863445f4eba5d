import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useProject } from '#api/project.ts';
import { useProductNames } from '#api/use-product-names.ts';
import { LoadingPage } from '#layout/loading.tsx';
import { Card, Page } from '#layout/page.tsx';
import { DialogButton } from '#resource/dialog-button.tsx';
import { DeliveriesOf } from '../webhooks/deliveries.tsx';
import { SendDialog } from '../webhooks/send-dialogs.tsx';
import { EventDetails } from './event-details.tsx';
import { eventSentence } from './event-sentence.ts';
import { JsonTree } from './json-tree.tsx';
import { SentenceText } from './sentence-text.tsx';

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
  const names = useProductNames();
  const { data: event } = query;
  if (!event) return <LoadingPage query={query} title="Event" up={UP} />;
  return (
    <Page
      title={event.type}
      up={UP}
      actions={
        <DialogButton icon="send" dialog={<SendDialog eventId={event.id} />}>
          Send to an endpoint…
        </DialogButton>
      }
    >
      <Card title="What happened">
        <div className="stack">
          <p>
            <SentenceText of={eventSentence(event, names)} />
          </p>
          <EventDetails event={event} />
        </div>
      </Card>
      <Card title="Deliveries" flush>
        <DeliveriesOf eventId={event.id} />
      </Card>
      <Card title="Body" lead="As endpoints get it, and as it is read with a cursor.">
        <JsonTree value={event} />
      </Card>
    </Page>
  );
}
