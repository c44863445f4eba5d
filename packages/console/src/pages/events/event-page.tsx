import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { unlessMissing } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { LoadingPage } from '#layout/loading.tsx';
import { Card, Page } from '#layout/page.tsx';
import { useWrite } from '#layout/use-write.ts';
import { Button } from '#ui/button.tsx';
import { CopyableId } from '#ui/copy.tsx';
import { Details } from '#ui/details.tsx';
import { Notice } from '#ui/notice.tsx';
import { StripeId } from '#ui/open-in-stripe.tsx';
import { EVENT_STATUS, StatusBadge } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { JsonTree } from './json-tree.tsx';
import { explainError, explainRoute, mayReplay } from './reasons.ts';

const UP = { page: 'events', title: 'Events from Stripe' } as const;
const REFRESH_MS = 3_000;

/** One webhook event: what became of it and why, and what Stripe sent. */
export function EventPage() {
  const { team, teamKey, key } = useProject();
  const { eventId = '' } = useParams({ strict: false });
  const query = useQuery({
    queryKey: teamKey('event', eventId),
    queryFn: ({ signal }) => team.webhookEvents.get(eventId, { signal }),
    refetchInterval: unlessMissing(REFRESH_MS),
  });
  const replay = useWrite({
    write: () => team.webhookEvents.replay(eventId),
    stale: [teamKey('event', eventId), key('events')],
    done: 'The event is handled once more.',
    failed: 'The event was not replayed.',
  });

  const { data } = query;
  if (!data) return <LoadingPage query={query} title="Webhook event" up={UP} />;
  const { webhookEvent: event, payload } = data;
  const problem = explainError(event);
  return (
    <Page
      title={event.type}
      up={UP}
      actions={
        mayReplay(event) && (
          <Button kind="primary" icon="retry" busy={replay.isPending} onClick={() => replay.mutate()}>
            Replay
          </Button>
        )
      }
    >
      {problem && <Notice tone={event.status === 'failed' ? 'bad' : 'warn'}>{problem}</Notice>}
      <Card title="What became of it">
        <Details
          of={{
            Status: <StatusBadge of={EVENT_STATUS[event.status]} />,
            'Where it went': explainRoute(event),
            Project: event.projectId ? <CopyableId id={event.projectId} /> : 'none',
            Happened: <Time at={event.processorCreatedAt} show="seconds" />,
            Received: (
              <>
                <Time at={event.receivedAt} show="seconds" />
                {event.recovered && ', fetched from Stripe because no webhook had brought it'}
              </>
            ),
            Processed: <Time at={event.processedAt} show="seconds" />,
            Attempts: event.attempts,
            Id: <StripeId id={event.id} what="the event" />,
            Object: event.objectId && <StripeId id={event.objectId} what="the object" />,
            'API version': `${event.apiVersion ?? '–'}, ${event.livemode ? 'live' : 'test'} mode`,
          }}
        />
      </Card>
      <Card title="Payload" lead="As Stripe sent it.">
        {payload ? <JsonTree value={payload} /> : <p className="muted">It is so old that only its record is left.</p>}
      </Card>
    </Page>
  );
}
