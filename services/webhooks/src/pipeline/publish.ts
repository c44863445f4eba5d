import { setTimeout as pause } from 'node:timers/promises';
import { metrics } from '@opentelemetry/api';
import { processorEvent, processorEventJson } from '@billing/contracts/processor-events';
import { executeBound } from '@billing/database/bound-statement';
import type { PublishMessage } from '@billing/messaging/bus';
import type { NewEvent } from '@billing/messaging/new-event';
import type { Outbox } from '@billing/messaging/outbox';
import { publicationId } from '@billing/messaging/event-id';
import { publishTogether } from '@billing/messaging/publish-together';
import { semaphore } from '@billing/messaging/semaphore';
import { TeamShareError } from '@billing/messaging/stream-capacity';
import type { Logger } from 'pino';
import { CHANGE_COLUMNS, countChanges, former, type Change } from './event-totals.ts';
import { nameOf, type LeasedEvent, type LeaseKey } from './lease.ts';
import { toRow, type RoutedEvent } from './route.ts';

/** Objects above this size are not put on the bus, in bytes: for all projects of an event together. */
export const MAX_BYTES_ON_BUS = 32_768;
/** How long published events wait to be completed before they are recorded together, in milliseconds: within their lease. */
const RECORD_AFTER_MS = 3_000;
/** So that events published in a row are recorded together, in milliseconds. */
const MIN_RECORD_PAUSE_MS = 250;
/** When an event is published again that no project has handled, in seconds, and when one that the bus has refused. */
const AGAIN_AFTER_SECONDS = 600;
const REFUSED_SECONDS = 2;
/** The same when the bus keeps room for other teams. */
const HELD_BACK_SECONDS = 30;
/** How long to wait after the bus refused events: the next batch would meet the same, in milliseconds. */
const REFUSED_PAUSE_MS = 1_000;
/** Messages on their way to the bus at the same time: an event may become many. */
const MAX_IN_FLIGHT = 512;

export interface PublishParts {
  readonly outbox: Outbox;
  readonly publish: PublishMessage;
  readonly logger: Logger;
}

/** An event that is published and not completed. */
interface Published extends RoutedEvent<LeaseKey> {
  readonly at: number;
}

export type EventPublisher = ReturnType<typeof openEventPublisher>;

/**
 * Publishes webhook events from their own rows: their ids follow from the event and the project, so publishing one again
 * after a crash is harmless. A published event that is not completed a little later is recorded as routed, together with
 * others; usually it is completed by then, and its row is written only once more.
 */
export function openEventPublisher({ outbox, publish, logger }: PublishParts) {
  const limitPublications = semaphore(MAX_IN_FLIGHT);
  const publishLimited: PublishMessage = (...message) => limitPublications(() => publish(...message));
  const leftOut = metrics.getMeter('@billing/webhooks').createCounter('billing.webhook.projects.left_out', {
    description: 'Projects that an event did not go to, since more have its customer than it may go to',
  });
  /** With the time of their publication; the oldest first. */
  const published = new Map<string, Published>();
  let timer: NodeJS.Timeout | undefined;

  const flush = async (olderThanMs = 0): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const old = [...published.values()].filter(({ at }) => at <= performance.now() - olderThanMs);
    for (const { event } of old) published.delete(nameOf(event));
    flushLater();
    await recordRouted(outbox, old, { isPublished: true, againAfterSeconds: AGAIN_AFTER_SECONDS }).catch(
      (err: unknown) =>
        logger.warn({ err }, 'published events not recorded, they will be published again under the same ids'),
    );
  };

  const flushLater = (): void => {
    const [oldest] = published.values();
    if (!oldest) return;
    const waitMs = oldest.at + RECORD_AFTER_MS - performance.now();
    timer ??= setTimeout(() => void flush(RECORD_AFTER_MS), Math.max(waitMs, MIN_RECORD_PAUSE_MS));
  };

  return {
    /** Publishes routed events to their projects. Those that the bus refuses are released to be tried again. */
    async publish(routed: readonly RoutedEvent[]): Promise<void> {
      for (const { route } of routed) if (route.leftOut > 0) leftOut.add(route.leftOut);
      const messages = routed.flatMap(one => toMessages(one).map(message => ({ message, event: one.event })));
      const failed = await publishTogether(
        publishLimited,
        messages.map(({ message }) => message),
      );
      const failedEvents = new Set(messages.flatMap(({ message, event }) => (failed.has(message) ? [event] : [])));
      const refused = routed.filter(({ event }) => failedEvents.has(event));
      for (const { event, route } of routed) {
        const { teamId, id, leaseId } = event;
        // Without the event's content, which may be large.
        if (!failedEvents.has(event))
          published.set(nameOf(event), { event: { teamId, id, leaseId }, route, at: performance.now() });
      }
      flushLater();
      if (refused.length === 0) return;
      // What waits for room in its team's share concerns no other team.
      const reason = [...failed.values()].find(err => !(err instanceof TeamShareError));
      const againAfterSeconds = reason === undefined ? HELD_BACK_SECONDS : REFUSED_SECONDS;
      await recordRouted(outbox, refused, { isPublished: false, againAfterSeconds });
      if (reason === undefined) return;
      logger.warn({ err: reason, events: refused.length }, 'events not published, will try again');
      await pause(REFUSED_PAUSE_MS);
    },
    /** Events that are completed need not be recorded as published any more. */
    completed(events: readonly Pick<LeasedEvent, 'teamId' | 'id'>[]): void {
      for (const event of events) published.delete(nameOf(event));
    },
    /** Records where events were published to. */
    flush: (): Promise<void> => flush(),
  };
}

/**
 * Records where events went. They stay in flight until they are complete; after a while they are published again, under the
 * same ids. What the bus has refused is soon tried again, as if it had not been leased.
 */
async function recordRouted(
  outbox: Outbox,
  routed: readonly RoutedEvent<LeaseKey>[],
  { isPublished, againAfterSeconds }: { readonly isPublished: boolean; readonly againAfterSeconds: number },
): Promise<void> {
  if (routed.length === 0) return;
  await outbox.transaction(async (tx, publish) => {
    const changes = await executeBound<Change>(
      tx,
      `with r as materialized (
         select * from json_to_recordset($1::json) as
                r(team_id text, id text, lease_id uuid, projects text[], routed_by text)),
       ${former('e.team_id = r.team_id and e.id = r.id and e.lease_id = r.lease_id', 'cross join r')}
       update webhook_events e
          set project_id = coalesce(e.project_id, r.projects[1]), routed_by = coalesce(e.routed_by, r.routed_by),
              routed_to = case when e.routed_to = '{}' then r.projects else e.routed_to end,
              awaiting = case when e.awaiting = '{}' then r.projects else e.awaiting end, lease_id = null,
              due_at = case when e.status = 'received' then clock_timestamp() + make_interval(secs => $2) end,
              routing_attempts = greatest(e.routing_attempts - $3, 0)
         from former f join r using (team_id, id)
        where e.team_id = f.team_id and e.id = f.id
       returning ${CHANGE_COLUMNS}`,
      [JSON.stringify(routed.map(toRow)), againAfterSeconds, isPublished ? 0 : 1],
    );
    await countChanges(tx, publish, changes);
  });
}

/** Returns the event for each of its projects; a large object stays off the bus. */
function toMessages({ event, route: { projects, routedBy } }: RoutedEvent): NewEvent[] {
  const { teamId, id: eventId, type, apiVersion, livemode, createdAt, trace, object, previousAttributes } = event;
  const replays = event.replays > 0 ? { replays: event.replays } : {};
  const fromSync = event.syncId === null ? {} : { fromSync: true as const };
  const bytes = Buffer.byteLength(object) + Buffer.byteLength(previousAttributes ?? '');
  return projects.map(projectId => {
    const head = { eventId, projectId, apiVersion, livemode, createdAt, routedBy, ...replays, ...fromSync };
    return {
      id: publicationId({ teamId, eventId, projectId, replays: event.replays, createdAt }),
      type: processorEvent(type).name,
      teamId,
      data:
        bytes * projects.length > MAX_BYTES_ON_BUS
          ? processorEventJson(
              { ...head, objectOmitted: true },
              JSON.stringify({ id: event.objectId ?? undefined }),
              null,
            )
          : processorEventJson(head, object, previousAttributes),
      trace,
      occurredMs: Date.now(),
    };
  });
}
