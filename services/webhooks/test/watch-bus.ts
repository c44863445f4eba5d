import { randomUUID } from 'node:crypto';
import type { Envelope } from '@billing/contracts/event';
import { WebhookEventsCounted } from '@billing/contracts/events/webhooks';
import type { ProjectId } from '@billing/contracts/ids';
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
  /** The totals of a project that were published, in their order. */
  const totalsOf = (projectId: ProjectId) =>
    received
      .filter(it => it.type === WebhookEventsCounted.name)
      .map(it => WebhookEventsCounted.data.parse(it.data))
      .filter(it => it.projectId === projectId)
      .toSorted((one, other) => one.version - other.version);

  return {
    received,
    publicationsOf,
    totalsOf,
    /** Waits until a webhook event was published `count` times, and returns the publications. */
    waitForPublications: (eventId: string, type: ProcessorEventType = 'customer.updated', count = 1) =>
      waitFor(
        () => {
          const found = publicationsOf(eventId, type);
          return found.length >= count ? found : undefined;
        },
        { what: `${count} publications of ${type}` },
      ),
    /** Waits until the newest published totals of a project are these. */
    waitForTotals: (projectId: ProjectId, wanted: { total: number; processed: number; failed: number }) =>
      waitFor(
        () => {
          const { total, processed, failed } = totalsOf(projectId).at(-1) ?? { total: 0, processed: 0, failed: 0 };
          return total === wanted.total && processed === wanted.processed && failed === wanted.failed;
        },
        { what: `the totals ${JSON.stringify(wanted)}` },
      ),
    stop,
  };
}
