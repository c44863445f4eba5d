import { randomUUID } from 'node:crypto';
import type { CustomerState } from '@billing/contracts/events/customers';
import { WebhookEventChanged } from '@billing/contracts/events/webhooks';
import { envelope, type Envelope, type EventType } from '@billing/contracts/event';
import { CustomerId, type ProjectId } from '@billing/contracts/ids';
import {
  processorEvent,
  ProcessorEventCompleted,
  type ProcessorEventType,
  type Completion,
} from '@billing/contracts/processor-events';
import { waitFor } from '@billing/testing/wait-for';
import type { z } from 'zod';
import type { Service } from './service.ts';

/** Tells a fact as another service does. */
export async function tell<Data extends z.ZodType>(
  { bus }: Service,
  fact: EventType<Data>,
  teamId: string,
  data: z.output<Data>,
  id = randomUUID() as string,
): Promise<void> {
  const event = { id, type: fact.name, teamId, occurredAt: new Date(), data: fact.data.encode(data) };
  await bus.publish(fact.name, JSON.stringify(envelope.encode(event)), id, {});
}

/** Hears all that is said from now on. */
export function listen({ bus }: Service) {
  const heard: Envelope[] = [];
  bus.nats.subscribe(`${bus.root}.>`, {
    callback: (_err, message) => void heard.push(envelope.parse(message.json())),
  });
  const factsOf = (eventId: string, type: ProcessorEventType) => {
    const fact = processorEvent(type);
    return heard
      .filter(it => it.type === fact.name)
      .map(it => ({ id: it.id, teamId: it.teamId, data: fact.data.parse(it.data) }))
      .filter(({ data }) => data.eventId === eventId);
  };
  return {
    heard,
    /** What projects were told of an event. */
    factsOf,
    /** Waits until projects were told of an event `count` times. */
    waitForFacts: (eventId: string, type: ProcessorEventType, count = 1) =>
      waitFor(
        () => {
          const facts = factsOf(eventId, type);
          return facts.length >= count ? facts : undefined;
        },
        { what: `${count} facts ${type}`, timeoutMs: 10_000 },
      ),
    /** Every state of an event's record that was told. */
    changesOf: (eventId: string) =>
      heard
        .filter(it => it.type === WebhookEventChanged.name)
        .flatMap(it => WebhookEventChanged.data.parse(it.data).webhookEvents)
        .filter(({ id }) => id === eventId),
  };
}

/** Reports how an owner ended with an event. */
export function settle(
  service: Service,
  teamId: string,
  eventId: string,
  projectId: ProjectId,
  report: Partial<Completion> = {},
  id?: string,
): Promise<void> {
  const completion = { eventId, projectId, outcome: 'processed' as const, error: null, attempts: 1, ...report };
  return tell(service, ProcessorEventCompleted, teamId, { completions: [completion] }, id);
}

/** A customer of ours who is the given one of the processor. */
export function customerState(projectId: ProjectId, processorCustomerId: string, changes: Partial<CustomerState> = {}) {
  const id = CustomerId.create();
  const state = { id, projectId, email: 'ada@example.com', name: null, processorCustomerId, version: 1 };
  return { ...state, createdAt: new Date(), deletedAt: null, ...changes };
}
