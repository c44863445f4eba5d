import { waitFor } from '@billing/testing/wait-for';
import { drain } from '../../system/drain.ts';
import { Caller, ok, type ApiResponse } from '../../system/http.ts';
import { listFromProcessor, newTenant, type Tenant } from '../../system/tenant.ts';

/** A resource as the API returned it. */
export type Shown = Readonly<Record<string, unknown>>;

/** An event as `GET P/events` returns it. */
export interface LogEvent {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly position: number;
  readonly object: { readonly type: string; readonly id: string; readonly sequence: number };
  readonly cause: {
    readonly type: string;
    readonly requestId: string | null;
    readonly processorEventId: string | null;
  };
  readonly data: Shown;
  readonly previousAttributes: Shown | null;
}

interface SentRequest {
  readonly path: string;
  readonly method: string;
  readonly status: number;
}

/** Lists whose whole content the events have to give, by the kind of object, with where they are in the response. */
export const LISTS = {
  customer: ['customers', 'customers'],
  product: ['products?activeOnly=false', 'products'],
  price: ['prices?activeOnly=false', 'prices'],
  subscription: ['subscriptions?activeOnly=false', 'subscriptions'],
  invoice: ['invoices', 'invoices'],
  payment: ['payments', 'payments'],
  referral: ['referrals', 'referrals'],
  referral_code: ['referrals/codes?activeOnly=false', 'codes'],
  referral_credit: ['referrals/credits', 'credits'],
} as const;
export type Kind = keyof typeof LISTS;
const KINDS = Object.keys(LISTS) as Kind[]; // its own keys

/** One tenant, what it requested, and every state that the API showed it. */
export type World = Awaited<ReturnType<typeof newWorld>>;

export async function newWorld(goneUrl: string) {
  const tenant = await newTenant();
  const { P, api } = tenant;
  const requests = new Map<string, SentRequest>();
  const seen: { readonly kind: Kind; readonly shown: Shown }[] = [];

  function remember(method: string, path: string, { status, headers, body }: ApiResponse): void {
    requests.set(headers.get('x-request-id') ?? '', { method, path, status });
    if (status >= 300 || path.includes('/portal/')) return;
    for (const kind of KINDS) {
      const [, name] = LISTS[kind];
      const found = [...(body?.[name] ?? []), ...(kind.startsWith('referral') ? [] : [body?.[kind]])];
      for (const shown of found) if (shown?.createdAt && (shown.id ?? shown.code)) seen.push({ kind, shown });
    }
  }
  record(api, remember);
  const customer = new Caller();
  record(customer, remember);

  /** Every object of a kind that the API lists. */
  async function list(kind: Kind): Promise<Shown[]> {
    const [path, name] = LISTS[kind];
    const all: Shown[] = [];
    for (;;) {
      const page = await ok(api.get(`${P}/${path}${path.includes('?') ? '&' : '?'}limit=100&offset=${all.length}`));
      all.push(...page[name]);
      if (page[name].length < 100) return all;
    }
  }
  return {
    tenant,
    api,
    /** The customer's browser in the portal. */
    customer,
    P,
    goneUrl,
    requests,
    seen,
    list,
    fromProcessor: (path: string, filter = {}) => listFromProcessor<{ id: string }>(tenant, `/v1/${path}`, filter),
    look: async (): Promise<ReadonlyMap<string, Shown>> => {
      const found = await Promise.all(
        KINDS.map(async kind => (await list(kind)).map(it => [`${kind} ${idOf(kind, it)}`, it] as const)),
      );
      return new Map(found.flat());
    },
    /** What a customer may use. */
    state: async (id: string): Promise<Shown> => (await ok(api.get(`${P}/customers/${id}/state`))).state,
    /** The whole log, when it has grown no more for a moment. */
    events: () => restingLog(tenant),
    settle: async () => {
      await tenant.processor.setDeliveryRules({ hold: false, types: null });
      await tenant.processor.release();
      await drain(tenant);
    },
  };
}

/** Of a referral code the code is its id. */
export const idOf = (kind: string, shown: Shown): string => String(shown[kind === 'referral_code' ? 'code' : 'id']);

function record(caller: Caller, remember: (method: string, path: string, response: ApiResponse) => void): void {
  const send = caller.send.bind(caller);
  caller.send = async (method, path, ...rest) => {
    const response = await send(method, path, ...rest);
    remember(method, path, response);
    return response;
  };
}

async function restingLog({ user, P }: Tenant): Promise<LogEvent[]> {
  const read = async () => {
    const events: LogEvent[] = [];
    for (let cursor = ''; ;) {
      const page = await ok(user.get(`${P}/events?limit=100${cursor}`));
      events.push(...page.events);
      if (!page.hasMore) return events;
      cursor = `&cursor=${page.nextCursor}`;
    }
  };
  let known = -1;
  return waitFor(
    async () => {
      const events = await read();
      const rests = events.length === known;
      known = events.length;
      return rests ? events : undefined;
    },
    { what: 'the log to rest', intervalMs: 1_500, timeoutMs: 60_000 },
  );
}
