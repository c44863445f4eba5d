import { setTimeout as pause } from 'node:timers/promises';
import { metrics } from '@opentelemetry/api';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectId } from '@billing/contracts/ids';
import { processorEvent, processorEventJson } from '@billing/contracts/processor-events';
import type { PublishMessage } from '@billing/messaging/bus';
import type { NewEvent } from '@billing/messaging/new-event';
import { publishTogether } from '@billing/messaging/publish-together';
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
/**
 * After this time those that may have shared a message are published again, each alone, in seconds: a consumer of the former
 * version, which knows messages with one event only, has dropped it.
 */
const ALONE_AFTER_SECONDS = 30;
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

/** An event that is published and not completed. */
interface Published extends RoutedKey {
  /** Whether it shared no message, so that the bus has it for every consumer. */
  readonly isAlone: boolean;
  readonly at: number;
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
    const old: Published[] = [];
    for (const [name, one] of published) {
      if (one.at > performance.now() - olderThanMs) break;
      published.delete(name);
      old.push(one);
    }
    flushLater();
    const { alone = [], together = [] } = Object.groupBy(old, one => (one.isAlone ? 'alone' : 'together'));
    try {
      await releaseRouted(em.fork(), alone, { dueAfterSeconds: null });
      await releaseRouted(em.fork(), together, { dueAfterSeconds: ALONE_AFTER_SECONDS });
    } catch (err) {
      logger.warn({ err }, 'published events not released, they will be published again under the same ids');
    }
  };

  const flushLater = (): void => {
    const [oldest] = published.values();
    if (!oldest) return;
    const waitMs = oldest.at + RELEASE_AFTER_MS - performance.now();
    timer ??= setTimeout(() => void flush(RELEASE_AFTER_MS), Math.max(waitMs, MIN_FLUSH_PAUSE_MS));
  };

  /** Returns why events were not published. */
  const publishAll = async (routed: readonly RoutedEvent[]): Promise<ReadonlyMap<LeasedEvent, unknown>> => {
    const messages = routed.flatMap(one => toMessages(one).map(message => ({ message, event: one.event })));
    const { first = [], again = [] } = Object.groupBy(messages, ({ event }) => (isAlone(event) ? 'again' : 'first'));
    const failed = new Map<LeasedEvent, unknown>();
    const publishGroup = async (group: typeof messages) => {
      const reasons = await publishTogether(
        publishLimited,
        group.map(({ message }) => message),
      );
      for (const { message, event } of group) if (reasons.has(message)) failed.set(event, reasons.get(message));
    };
    await Promise.all([first, ...again.map(one => [one])].map(publishGroup));
    return failed;
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
      const failed = await publishAll(routed);
      const refused: RoutedEvent[] = [];
      for (const one of routed) {
        const { event } = one;
        const isIncomplete = inFlight.delete(nameOf(event));
        if (failed.has(event)) {
          window.remove(event);
          refused.push(one);
        } else if (isIncomplete) published.set(nameOf(event), withoutContent(one));
      }
      flushLater();
      if (refused.length === 0) return;
      const [reason] = failed.values();
      logger.warn({ err: reason, events: refused.length }, 'events not published, will try again');
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

/** Whether an event shares no message: it may have been published before. */
const isAlone = ({ routed, attempt }: LeasedEvent): boolean => routed !== null || attempt > 1;

const withoutContent = ({ event, route }: RoutedEvent): Published => {
  const { teamId, id, leaseId } = event;
  return { event: { teamId, id, leaseId }, route, isAlone: isAlone(event), at: performance.now() };
};

/** Whether the object stays off the bus, for all projects together. */
function isTooLarge({ object, previousAttributes }: LeasedEvent, projects: number): boolean {
  const bytes = Buffer.byteLength(object) + (previousAttributes === null ? 0 : Buffer.byteLength(previousAttributes));
  return bytes * projects > MAX_BYTES_ON_BUS;
}

/** Returns the event for each of its projects. */
function toMessages(routed: RoutedEvent): NewEvent[] {
  const { projects } = routed.route;
  const isOmitted = isTooLarge(routed.event, projects.length);
  return projects.map(projectId => toMessage(routed, projectId, isOmitted));
}

function toMessage({ event, route }: RoutedEvent, projectId: ProjectId, isOmitted: boolean): NewEvent {
  const { projects, routedBy } = route;
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
