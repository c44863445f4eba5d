import type { Envelope } from '@billing/contracts/event';
import { WebhookEventsCounted } from '@billing/contracts/events/webhooks';
import type { Rpc } from '@billing/contracts/rpc';
import {
  CountWebhookEvents,
  ListCustomerStates,
  ListReferralCodeStates,
  ListReferralStates,
  ListSubscriptionStates,
} from '@billing/contracts/rpc/list-states';
import { z } from 'zod';
import type { AnalyticsService } from './start-analytics.ts';

interface OwnerOptions {
  /** Records in one reply. */
  readonly pageSize: number;
  /** Awaited before each reply. */
  readonly beforeReply?: (() => Promise<void>) | undefined;
}

/**
 * Serves the list calls of the services that own records, with the newest state that the events contain of each record, and
 * of a subscription with all that they show of it.
 * A record changed shortly after its event was recorded, as happens when the two are written one after the other.
 */
export async function serveOwners(service: AnalyticsService, events: readonly Envelope[], options: OwnerOptions) {
  const recordsOf = (noun: string) => newestStates(events.filter(({ type }) => type.startsWith(`record.${noun}.`)));
  const stops = await Promise.all([
    serveList(service, ListSubscriptionStates, recordsOf('subscription'), options),
    serveList(service, ListCustomerStates, recordsOf('customer'), options),
    serveCounts(service, events),
    serveList(service, ListReferralCodeStates, recordsOf('referral-code'), options),
    serveList(service, ListReferralStates, recordsOf('referral'), options),
  ]);
  return {
    [Symbol.asyncDispose]: async () => {
      await Promise.all(stops.map(stop => stop()));
    },
  };
}

/** A record as its owner returns it, and when it last changed. */
interface OwnedRecord {
  readonly id: string;
  readonly projectId: string;
  readonly version: number;
  readonly recordedAt: string;
  readonly state: unknown;
}

const anyState = z.object({
  id: z.string().optional(),
  code: z.string().optional(),
  projectId: z.string(),
  version: z.int().optional(),
  status: z.string().optional(),
  shown: z.array(z.unknown()).optional(),
});

function newestStates(events: readonly Envelope[]): OwnedRecord[] {
  const newest = new Map<string, OwnedRecord>();
  const shownOf = new Map<string, unknown[]>();
  for (const { data: state, occurredAt } of events) {
    const { id, code, projectId, version, status, shown } = anyState.parse(state);
    const record = {
      id: id ?? code ?? '',
      projectId,
      version: version ?? (status === 'converted' ? 2 : 1),
      recordedAt: new Date(occurredAt.getTime() + 3).toISOString(),
      state,
    };
    if (record.version > (newest.get(record.id)?.version ?? 0)) newest.set(record.id, record);
    if (shown) shownOf.set(record.id, [...(shownOf.get(record.id) ?? []), ...shown]);
  }
  return [...newest.values()].map(record => {
    const shown = shownOf.get(record.id);
    return shown ? { ...record, state: { ...Object(record.state), shown } } : record;
  });
}

/** Serves the numbers of webhook events: those that came with the highest version. */
const serveCounts = (service: AnalyticsService, events: readonly Envelope[]): Promise<() => Promise<void>> =>
  service.serve(CountWebhookEvents, async ({ projectId }) => {
    const counted = events.filter(({ type }) => type === WebhookEventsCounted.name);
    const ofProject = counted
      .map(({ data }) => WebhookEventsCounted.data.parse(data))
      .filter(counts => counts.projectId === projectId);
    const [newest] = ofProject.toSorted((one, other) => other.version - one.version);
    return newest ?? { total: 0, processed: 0, failed: 0, version: 0 };
  });

type PageRequest = (typeof ListCustomerStates)['request'];

function serveList<Reply extends z.ZodType>(
  service: AnalyticsService,
  rpc: Rpc<PageRequest, Reply>,
  records: readonly OwnedRecord[],
  { pageSize, beforeReply }: OwnerOptions,
): Promise<() => Promise<void>> {
  return service.serve(rpc, async ({ projectId, after }) => {
    await beforeReply?.();
    const ofProject = records.filter(record => record.projectId === projectId);
    const from = after === null ? 0 : ofProject.findIndex(({ id }) => id === after) + 1;
    const page = ofProject.slice(from, from + pageSize);
    return rpc.reply.parse({
      records: page.map(({ recordedAt, state }) => ({ recordedAt, state })),
      next: from + pageSize < ofProject.length ? page.at(-1)?.id : null,
    });
  });
}
