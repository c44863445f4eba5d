import { randomUUID } from 'node:crypto';
import type { Envelope } from '@billing/contracts/event';
import type { ProjectScope } from '@billing/contracts/ids';
import {
  isHandled,
  processorEvent,
  ProcessorEventCompleted,
  type ProcessorEventType,
  type Completion,
} from '@billing/contracts/processor-events';

type Raw = Readonly<Record<string, unknown>>;

interface EventOptions {
  readonly eventId?: string;
  readonly createdAt?: Date;
  readonly apiVersion?: string;
  readonly previousAttributes?: Raw | null;
}

/** Returns a webhook event as the webhooks service publishes it once it is routed to a project. */
export function routedEvent(
  { teamId, projectId }: ProjectScope,
  type: ProcessorEventType,
  object: Raw,
  {
    eventId = `evt_${randomUUID().replaceAll('-', '')}`,
    createdAt = new Date(),
    apiVersion,
    previousAttributes = null,
  }: EventOptions = {},
): Envelope {
  const eventType = processorEvent(type);
  return {
    id: randomUUID(),
    type: eventType.name,
    teamId,
    occurredAt: new Date(),
    data: eventType.data.encode({
      eventId,
      projectId,
      apiVersion: apiVersion ?? '2026-10-28.endive',
      livemode: false,
      createdAt: wholeSeconds(createdAt),
      routedBy: 'object-metadata',
      object,
      previousAttributes,
    }),
  };
}

/** Converts an event of the processor's API to the routed event; null for a type that no service handles. */
export function toRoutedEvent(raw: Raw, scope: ProjectScope): Envelope | null {
  const {
    id,
    type,
    created,
    data,
    api_version: apiVersion,
  } = raw as {
    id: string;
    type: string;
    created: number;
    data: { object: Raw; previous_attributes?: Raw };
    api_version: string;
  }; // the fields that the processor's API documents for an event
  if (!isHandled(type)) return null;
  const createdAt = new Date(created * 1_000);
  const previousAttributes = data.previous_attributes ?? null;
  return routedEvent(scope, type, data.object, { eventId: id, createdAt, apiVersion, previousAttributes });
}

/** Returns the event under a new id, like a second delivery that the bus did not recognize as a duplicate. */
export const deliveredAgain = (event: Envelope): Envelope => ({ ...event, id: randomUUID() });

const wholeSeconds = (date: Date) => new Date(Math.floor(date.getTime() / 1_000) * 1_000);

/** Returns the outcomes that `processor-event.completed` events report, in their order. */
export const completionsIn = (events: readonly { readonly data: unknown }[]): Completion[] =>
  events.flatMap(({ data }) => ProcessorEventCompleted.data.parse(data).completions);
