import { randomUUID } from 'node:crypto';
import type { Envelope } from '@billing/contracts/event';
import { WebhookEventChanged } from '@billing/contracts/events/webhooks';
import { processorEvent, type ProcessorEventType } from '@billing/contracts/processor-events';
import type { Bus } from '@billing/messaging/bus';
import type { TraceCarrier } from '@billing/tracing/trace-carrier';
import { waitFor } from '@billing/testing/wait-for';

/** Collects what the bus delivers to a consumer that reads everything, each event once. */
export async function watchBus(bus: Pick<Bus, 'subscribe'>) {
  const received: (Envelope & { readonly trace: TraceCarrier })[] = [];
  const ids = new Set<string>();
  const stop = await bus.subscribe(`test-${randomUUID()}`, '>', async ({ event, trace }) => {
    if (!ids.has(event.id)) received.push({ ...event, trace });
    ids.add(event.id);
    return { kind: 'ack' };
  });

  /** How a webhook event was published to projects. */
  const publicationsOf = (eventId: string, type: ProcessorEventType = 'customer.updated') => {
    const { name, data } = processorEvent(type);
    return received
      .filter(it => it.type === name && Reflect.get(Object(it.data), 'eventId') === eventId)
      .map(it => ({ id: it.id, teamId: it.teamId, trace: it.trace, data: data.parse(it.data) }));
  };
  /** The states of a webhook event's record that were published. */
  const changesOf = (eventId: string) =>
    received
      .filter(it => it.type === WebhookEventChanged.name)
      .flatMap(it => WebhookEventChanged.data.parse(it.data).webhookEvents)
      .filter(({ id }) => id === eventId);

  return {
    received,
    publicationsOf,
    changesOf,
    /** Waits until a webhook event was published `count` times, and returns the publications. */
    waitForPublications: (eventId: string, type: ProcessorEventType = 'customer.updated', count = 1) =>
      waitFor(
        () => {
          const found = publicationsOf(eventId, type);
          return found.length >= count ? found : undefined;
        },
        { what: `${count} publications of ${type}` },
      ),
    /** Waits until `count` states of a webhook event's record were published, and returns them. */
    waitForChanges: (eventId: string, count = 1) =>
      waitFor(() => (changesOf(eventId).length >= count ? changesOf(eventId) : undefined), {
        what: `${count} changes to be published`,
      }),
    stop,
  };
}
