import { setTimeout as pause } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId } from '@billing/contracts/ids';
import { processorEvent, processorEventJson } from '@billing/contracts/processor-events';
import type { PublishMessage } from '@billing/messaging/bus';
import { encode } from '@billing/messaging/relay';
import type { Logger } from 'pino';
import { publicationId } from '#domain/publication-id.ts';
import { nameOf, type LeasedEvent } from './lease.ts';
import type { PublicationWindow } from './publication-window.ts';
import { releaseRouted, type RoutedEvent } from './route.ts';

/** How long published events wait to be completed before they are released together, in milliseconds: within their lease. */
const RELEASE_AFTER_MS = 3_000;
/** So that events published in a row are released together, in milliseconds. */
const MIN_FLUSH_PAUSE_MS = 250;
/** How long to wait after the bus refused events: the next batch would meet the same, in milliseconds. */
const REFUSED_PAUSE_MS = 1_000;

interface PublishParts {
  readonly em: EntityManager;
  readonly publish: PublishMessage;
  readonly window: Pick<PublicationWindow, 'add' | 'remove'>;
  readonly logger: Logger;
}

/** Publishes routed events to their projects. */
export interface EventPublisher {
  /** Those that the bus refuses are released, to be tried again. */
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
  /** With the time of their publication; the oldest first. */
  const published = new Map<string, { readonly routed: RoutedEvent; readonly at: number }>();
  let timer: NodeJS.Timeout | undefined;

  const flush = async (olderThanMs = 0): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const routed: RoutedEvent[] = [];
    for (const [name, one] of published) {
      if (one.at > performance.now() - olderThanMs) break;
      published.delete(name);
      routed.push(one.routed);
    }
    flushLater();
    await releaseRouted(em.fork(), routed, { isPublished: true }).catch((err: unknown) =>
      logger.warn({ err }, 'published events not released, they will be published again under the same ids'),
    );
  };

  const flushLater = (): void => {
    const [oldest] = published.values();
    if (!oldest) return;
    const waitMs = oldest.at + RELEASE_AFTER_MS - performance.now();
    timer ??= setTimeout(() => void flush(RELEASE_AFTER_MS), Math.max(waitMs, MIN_FLUSH_PAUSE_MS));
  };

  const publishOne = ({ event, route }: RoutedEvent) =>
    Promise.all(
      route.projects.map(projectId => {
        const message = toMessage(event, projectId, route.routedBy);
        return publish(message.type, encode(message), message.id, event.trace);
      }),
    );

  return {
    async publish(routed) {
      for (const { event } of routed) {
        inFlight.add(nameOf(event));
        window.add(event.teamId, nameOf(event));
      }
      const outcomes = await Promise.allSettled(routed.map(publishOne));
      const refused: RoutedEvent[] = [];
      for (const [index, one] of routed.entries()) {
        const { event } = one;
        const isIncomplete = inFlight.delete(nameOf(event));
        if (outcomes[index]?.status === 'rejected') {
          window.remove(nameOf(event));
          refused.push(one);
        } else if (isIncomplete) published.set(nameOf(event), { routed: one, at: performance.now() });
      }
      flushLater();
      if (refused.length === 0) return;
      const reasons = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
      logger.warn({ err: reasons[0], events: refused.length }, 'events not published, will try again');
      await releaseRouted(em.fork(), refused, { isPublished: false });
      await pause(REFUSED_PAUSE_MS);
    },
    completed(events) {
      for (const event of events) {
        window.remove(nameOf(event));
        inFlight.delete(nameOf(event));
        published.delete(nameOf(event));
      }
    },
    flush: () => flush(),
  };
}

function toMessage(event: LeasedEvent, projectId: ProjectId, routedBy: RoutedEvent['route']['routedBy']) {
  const { teamId, id: eventId, type, apiVersion, livemode, createdAt, object, previousAttributes, trace } = event;
  const head = { eventId, projectId, apiVersion, livemode, createdAt, routedBy };
  return {
    id: publicationId({ teamId, eventId, projectId, replays: event.replays }),
    type: processorEvent(type).name,
    teamId,
    data: processorEventJson(head, object, previousAttributes),
    trace,
    occurredMs: Date.now(),
  };
}
