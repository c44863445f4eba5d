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

/** An event of the processor as the webhooks service publishes it once it is routed. */
export function processorFact(
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
  const fact = processorEvent(type);
  return {
    id: randomUUID(),
    type: fact.name,
    teamId,
    occurredAt: new Date(),
    data: fact.data.encode({
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

/** One of the processor's own events, if it is of a type that is handled at all. */
export function toProjectEvent(raw: Raw, scope: ProjectScope): Envelope | null {
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
  }; // the processor's own event, of which the tests read these fields
  if (!isHandled(type)) return null;
  const createdAt = new Date(created * 1_000);
  const previousAttributes = data.previous_attributes ?? null;
  return processorFact(scope, type, data.object, { eventId: id, createdAt, apiVersion, previousAttributes });
}

/** A copy of an event under another fact's id, as a second delivery that the bus did not recognize would be. */
export const deliveredAgain = (event: Envelope): Envelope => ({ ...event, id: randomUUID() });

const wholeSeconds = (date: Date) => new Date(Math.floor(date.getTime() / 1_000) * 1_000);

/** How events ended, by what facts `processor-event.completed` say, in their order. */
export const completionsIn = (facts: readonly { readonly data: unknown }[]): Completion[] =>
  facts.flatMap(({ data }) => ProcessorEventCompleted.data.parse(data).completions);
