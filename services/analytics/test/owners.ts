import type { Rpc } from '@billing/contracts/rpc';
import {
  ListCustomerStates,
  ListReferralCodeStates,
  ListReferralStates,
  ListSubscriptionStates,
  ListWebhookEventStates,
} from '@billing/contracts/rpc/list-states';
import { serveRpc } from '@billing/messaging/rpc';
import { z } from 'zod';
import type { SaidFact, Service } from './service.ts';

interface OwnersOptions {
  /** So many records fit into an answer. */
  readonly partOf: number;
  /** Stands before each answer. */
  readonly beforeAnswer?: (() => Promise<void>) | undefined;
}

/**
 * The services that keep what these facts tell, answering on the test's bus with the newest state of every record. They
 * say that it changed a little after its fact was recorded, as is the case when the two are written one after the other.
 */
export function ownersOf(service: Service, facts: readonly SaidFact[], options: OwnersOptions) {
  const about = (noun: string) => newestStates(facts.filter(({ type }) => type.startsWith(`${noun}.`)));
  const stops = [
    answerWith(service, ListSubscriptionStates, about('subscription'), options),
    answerWith(service, ListCustomerStates, about('customer'), options),
    answerWith(service, ListWebhookEventStates, about('webhook-event'), options),
    answerWith(service, ListReferralCodeStates, about('referral-code'), options),
    answerWith(service, ListReferralStates, about('referral'), options),
  ];
  return {
    [Symbol.asyncDispose]: async () => {
      await Promise.all(stops.map(stop => stop()));
    },
  };
}

/** A record as it travels, and when it last changed. */
interface Told {
  readonly id: string;
  readonly projectId: string | null;
  readonly version: number;
  readonly recordedAt: string;
  readonly state: unknown;
}

const anyState = z.object({
  id: z.string().optional(),
  code: z.string().optional(),
  projectId: z.string().nullable(),
  version: z.int().optional(),
  status: z.string().optional(),
});

function newestStates(facts: readonly SaidFact[]): Told[] {
  const newest = new Map<string, Told>();
  const states = facts.flatMap(({ data, occurredAt }) => statesIn(data).map(state => ({ state, occurredAt })));
  for (const { state, occurredAt } of states) {
    const { id, code, projectId, version, status } = anyState.parse(state);
    const told = {
      id: id ?? code ?? '',
      projectId,
      version: version ?? (status === 'converted' ? 2 : 1),
      recordedAt: new Date(occurredAt.getTime() + 3).toISOString(),
      state,
    };
    if (told.version > (newest.get(told.id)?.version ?? 0)) newest.set(told.id, told);
  }
  return [...newest.values()];
}

const ofMany = z.object({ webhookEvents: z.array(z.unknown()) });

/** What a fact tells: one state, or those of many webhook events. */
export function statesIn(data: unknown): unknown[] {
  const many = ofMany.safeParse(data);
  return many.success ? many.data.webhookEvents : [data];
}

type AskedOfOwner = (typeof ListCustomerStates)['request'];

function answerWith<Answer extends z.ZodType>(
  { bus, logger }: Service,
  question: Rpc<AskedOfOwner, Answer>,
  records: readonly Told[],
  { partOf, beforeAnswer }: OwnersOptions,
): () => Promise<void> {
  return serveRpc({ ...bus, logger }, question, async ({ projectId, after }) => {
    await beforeAnswer?.();
    const mine = records.filter(record => record.projectId === projectId);
    const from = after === null ? 0 : mine.findIndex(({ id }) => id === after) + 1;
    const part = mine.slice(from, from + partOf);
    return question.reply.parse({
      records: part.map(({ recordedAt, state }) => ({ recordedAt, state })),
      next: from + partOf < mine.length ? part.at(-1)?.id : null,
    });
  });
}
