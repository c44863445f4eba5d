import { setTimeout as pause } from 'node:timers/promises';
import { metrics } from '@opentelemetry/api';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId } from '@billing/contracts/ids';
import { processorEvent, processorEventJson } from '@billing/contracts/processor-events';
import type { PublishMessage } from '@billing/messaging/bus';
import { encode } from '@billing/messaging/relay';
import { semaphore } from '@billing/messaging/semaphore';
import type { Logger } from 'pino';
import { MAX_BYTES_ON_BUS } from '#domain/event-weight.ts';
import { publicationId } from '@billing/messaging/publication-id';
import { nameOf, weightOfEvent, type LeasedEvent } from './lease.ts';
import { UNAVAILABLE_SECONDS } from './postpone.ts';
import type { PublicationWindow } from './publication-window.ts';
import { releaseRouted, type RoutedEvent, type RoutedKey } from './route.ts';

/** How long published events wait to be completed before they are released together, in milliseconds: within their lease. */
const RELEASE_AFTER_MS = 3_000;
/** So that events published in a row are released together, in milliseconds. */
const MIN_FLUSH_PAUSE_MS = 250;
/** How long to wait after the bus refused events: the next batch would meet the same, in milliseconds. */
const REFUSED_PAUSE_MS = 1_000;
/** Messages on their way to the bus at the same time: an event may become many. */
const MAX_IN_FLIGHT = 512;

interface PublishParts {
  readonly em: EntityManager;
  readonly publish: PublishMessage;
  readonly window: Pick<PublicationWindow, 'add' | 'remove' | 'roomOf'>;
  readonly logger: Logger;
}

/** Publishes routed events to their projects. */
export interface EventPublisher {
  /** Those that the bus refuses, or the window has no room for, are released to be tried again. */
  publish(routed: readonly RoutedEvent[]): Promise<void>;
  /** Events that are completed need no release any more. */
  completed(events: readonly Pick<LeasedEvent, 'teamId' | 'id'>[]): void;
  /** Releases what is published, and records where it was published to. */
  flush(): Promise<void>;
}

/**
 * Publishes webhook events from their own rows: their ids follow from the event and the project, so publishing one again
 * after a crash is harmless. A published event that is not completed a little later is recorded as routed and released,
 * together with others; usually it is completed by then, and its row is written only once more.
 */
export function openEventPublisher({ em, publish, window, logger }: PublishParts): EventPublisher {
  /** Events whose outcome may come back before the bus has confirmed their publication. */
  const inFlight = new Set<string>();
  const limitPublications = semaphore(MAX_IN_FLIGHT);
  const leftOut = metrics.getMeter('@billing/webhooks').createCounter('billing.webhook.projects.left_out', {
    description: 'Projects that an event did not go to, since more have its customer than it may go to',
  });
  /** With the time of their publication; the oldest first. */
  const published = new Map<string, { readonly routed: RoutedKey; readonly at: number }>();
  let timer: NodeJS.Timeout | undefined;

  const flush = async (olderThanMs = 0): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const routed: RoutedKey[] = [];
    for (const [name, one] of published) {
      if (one.at > performance.now() - olderThanMs) break;
      published.delete(name);
      routed.push(one.routed);
    }
    flushLater();
    await releaseRouted(em.fork(), routed, { dueAfterSeconds: null }).catch((err: unknown) =>
      logger.warn({ err }, 'published events not released, they will be published again under the same ids'),
    );
  };

  const flushLater = (): void => {
    const [oldest] = published.values();
    if (!oldest) return;
    const waitMs = oldest.at + RELEASE_AFTER_MS - performance.now();
    timer ??= setTimeout(() => void flush(RELEASE_AFTER_MS), Math.max(waitMs, MIN_FLUSH_PAUSE_MS));
  };

  const publishOne = (routed: RoutedEvent) => {
    const { event, route } = routed;
    const isOmitted = isTooLarge(event, route.projects.length);
    return Promise.all(
      route.projects.map(projectId =>
        limitPublications(() => {
          const message = toMessage(routed, projectId, isOmitted);
          return publish(message.type, encode(message), message.id, event.trace);
        }),
      ),
    );
  };

  /** Counts the event as published, unless it goes to many projects and its team has published enough for now. */
  const admit = ({ event, route }: RoutedEvent): boolean => {
    if (route.projects.length > 1 && window.roomOf(event.teamId) === 0) return false;
    const { payloadSize, superseded } = event;
    inFlight.add(nameOf(event));
    window.add(event, weightOfEvent({ payloadSize, superseded, routed: route }));
    if (route.leftOut > 0) leftOut.add(route.leftOut);
    return true;
  };

  return {
    async publish(events) {
      const { true: routed = [], false: postponed = [] } = Object.groupBy(events, one => `${admit(one)}`);
      await releaseRouted(em.fork(), postponed, { dueAfterSeconds: 0 });
      const outcomes = await Promise.allSettled(routed.map(publishOne));
      const refused: RoutedEvent[] = [];
      for (const [index, one] of routed.entries()) {
        const { event } = one;
        const isIncomplete = inFlight.delete(nameOf(event));
        if (outcomes[index]?.status === 'rejected') {
          window.remove(event);
          refused.push(one);
        } else if (isIncomplete) published.set(nameOf(event), { routed: withoutContent(one), at: performance.now() });
      }
      flushLater();
      if (refused.length === 0) return;
      const reasons = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
      logger.warn({ err: reasons[0], events: refused.length }, 'events not published, will try again');
      await releaseRouted(em.fork(), refused, { dueAfterSeconds: UNAVAILABLE_SECONDS });
      await pause(REFUSED_PAUSE_MS);
    },
    completed(events) {
      for (const event of events) {
        window.remove(event);
        inFlight.delete(nameOf(event));
        published.delete(nameOf(event));
      }
    },
    flush: () => flush(),
  };
}

const withoutContent = ({ event: { teamId, id, leaseId }, route }: RoutedEvent): RoutedKey => ({
  event: { teamId, id, leaseId },
  route,
});

/** Whether the object stays off the bus, for all projects together. */
function isTooLarge({ object, previousAttributes }: LeasedEvent, projects: number): boolean {
  const bytes = Buffer.byteLength(object) + (previousAttributes === null ? 0 : Buffer.byteLength(previousAttributes));
  return bytes * projects > MAX_BYTES_ON_BUS;
}

function toMessage({ event, route: { projects, routedBy } }: RoutedEvent, projectId: ProjectId, isOmitted: boolean) {
  const { teamId, id: eventId, type, apiVersion, livemode, createdAt, trace } = event;
  const replays = event.replays > 0 ? { replays: event.replays } : {};
  // One project's report would complete them, and the others' would find nothing to do.
  const completesMore = event.superseded.length > 0 && projects.length === 1;
  const supersedes = completesMore ? { supersedes: event.superseded.map(({ id }) => id) } : {};
  const head = { eventId, projectId, apiVersion, livemode, createdAt, routedBy, ...replays, ...supersedes };
  return {
    id: publicationId({ teamId, eventId, projectId, replays: event.replays }),
    type: processorEvent(type).name,
    teamId,
    data: isOmitted
      ? processorEventJson({ ...head, objectOmitted: true }, JSON.stringify({ id: event.objectId ?? undefined }), null)
      : processorEventJson(head, event.object, event.previousAttributes),
    trace,
    occurredMs: Date.now(),
  };
}
