import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useProject } from '#api/project.ts';
import { Card, Page } from '#layout/page.tsx';
import { Button } from '#ui/button.tsx';
import { CopyableId } from '#ui/copy.tsx';
import { Icon } from '#ui/icon.tsx';
import { ErrorState, SkeletonLines } from '#ui/states.tsx';
import { EVENT_STATUS, StatusBadge } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { useToasts } from '#ui/toasts.tsx';
import { JsonTree } from './json-tree.tsx';
import { explainError, explainRoute, mayReplay } from './reasons.ts';

const UP = { page: 'events', title: 'Webhook events' } as const;
const REFRESH_MS = 3_000;

/** One webhook event: what became of it and why, and what Stripe sent. */
export function EventPage() {
  const { team, teamKey, key } = useProject();
  const { eventId = '' } = useParams({ strict: false });
  const queryClient = useQueryClient();
  const toasts = useToasts();
  const query = { queryKey: teamKey('event', eventId) };
  const { data, error, refetch } = useQuery({
    ...query,
    queryFn: ({ signal }) => team.webhookEvents.get(eventId, { signal }),
    refetchInterval: REFRESH_MS,
  });
  const replay = useMutation({
    mutationFn: () => team.webhookEvents.replay(eventId),
    onSuccess: () => toasts.done('The event is handled once more.'),
    onError: failure => toasts.failed('The event was not replayed.', failure),
    onSettled: () =>
      Promise.all([queryClient.invalidateQueries(query), queryClient.invalidateQueries({ queryKey: key('events') })]),
  });

  if (error && !data)
    return (
      <Page title="Webhook event" up={UP}>
        <ErrorState error={error} onRetry={() => void refetch()} />
      </Page>
    );
  if (!data)
    return (
      <Page title="Webhook event" up={UP}>
        <SkeletonLines />
      </Page>
    );
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
      {problem && (
        <div className={`notice ${event.status === 'failed' ? 'bad' : 'warn'}`}>
          <Icon name="warning" />
          <div>{problem}</div>
        </div>
      )}
      <Card title="What became of it">
        <dl className="details">
          <dt>Status</dt>
          <dd>
            <StatusBadge of={EVENT_STATUS[event.status]} />
          </dd>
          <dt>Where it went</dt>
          <dd>{explainRoute(event)}</dd>
          <dt>Project</dt>
          <dd>{event.projectId ? <CopyableId id={event.projectId} /> : 'none'}</dd>
          <dt>Happened</dt>
          <dd>
            <Time at={event.processorCreatedAt} show="seconds" />
          </dd>
          <dt>Received</dt>
          <dd>
            <Time at={event.receivedAt} show="seconds" />
            {event.recovered && ', fetched from Stripe because no webhook had brought it'}
          </dd>
          <dt>Processed</dt>
          <dd>
            <Time at={event.processedAt} show="seconds" />
          </dd>
          <dt>Attempts</dt>
          <dd>{event.attempts}</dd>
          <dt>Id</dt>
          <dd>
            <CopyableId id={event.id} />
          </dd>
          {event.objectId && (
            <>
              <dt>Object</dt>
              <dd>
                <CopyableId id={event.objectId} />
              </dd>
            </>
          )}
          <dt>API version</dt>
          <dd>
            {event.apiVersion ?? '–'}, {event.livemode ? 'live' : 'test'} mode
          </dd>
        </dl>
      </Card>
      <Card title="Payload" lead="As Stripe sent it.">
        {payload ? (
          <div className="json" dir="ltr">
            <JsonTree value={payload} open />
          </div>
        ) : (
          <p className="muted">It is so old that only its record is left.</p>
        )}
      </Card>
    </Page>
  );
}
