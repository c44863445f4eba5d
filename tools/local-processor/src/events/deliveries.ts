import type { Logger } from 'pino';
import { newId } from '../domain/ids.ts';
import { shuffled } from '../domain/shuffle.ts';
import type { Delivery, StoredEvent, WebhookEndpoint } from '../objects/stored.ts';
import type { Account, DeliveryRules } from '../store/account.ts';
import { WebhookPoster } from './post.ts';
import { renderEvent } from './rendering.ts';
import { signatureHeader } from './signature.ts';

/** Pauses between tries, in milliseconds; the last one repeats. Stripe's hours are seconds here. */
const PAUSES_MS = [200, 1_000, 3_000, 10_000, 30_000, 60_000];
const MOST_ATTEMPTS = 48;
const NOTEWORTHY_ATTEMPT = 4;
const PARALLEL = 32;

/** How held deliveries are let go: as they came, the other way round, or in an order drawn from a seed. */
export type ReleaseOrder = 'created' | 'reversed' | { seed: number };

interface Pool {
  ids: string[];
  timer: NodeJS.Timeout;
}

/**
 * Sends events to webhook endpoints until they are accepted. Deliveries start in the order of their events and run in
 * parallel, so they may arrive in any order, as Stripe's may.
 */
export class Deliveries {
  readonly #poster = new WebhookPoster();
  readonly #logger: Logger;
  readonly #persist: () => void;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #pools = new Map<Account, Pool>();
  readonly #queue: { account: Account; id: string }[] = [];
  #running = 0;
  #closed = false;

  constructor(logger: Logger, persist: () => void) {
    this.#logger = logger;
    this.#persist = persist;
  }

  /** Notes a delivery for every enabled endpoint that wants the event. Nothing is sent before `start`. */
  plan(account: Account, events: readonly StoredEvent[]): Delivery[] {
    const endpoints = account.tables.webhook_endpoint.newestFirst().toReversed();
    return events.flatMap(event =>
      endpoints
        .filter(endpoint => wants(endpoint, event.type))
        .flatMap(endpoint => this.#planFor(account, event, endpoint.id)),
    );
  }

  /** Sends what was planned. */
  start(account: Account, deliveries: readonly Delivery[]): void {
    for (const { id, status, type } of deliveries) {
      if (status !== 'scheduled') continue;
      const { shuffle } = rulesFor(account, type);
      if (shuffle) this.#collect(account, id, shuffle);
      else this.#enqueue(account, id);
    }
  }

  /** Goes on with what the end of an earlier process has left undone. */
  resume(account: Account): void {
    const rows = account.tables.delivery.newestFirst().toReversed();
    this.start(
      account,
      rows.filter(({ status }) => status === 'scheduled'),
    );
  }

  /**
   * Sends events again to every endpoint that wants them, whatever became of them before. They arrive in this order:
   * each is tried once before the next one is.
   */
  resend(account: Account, events: readonly StoredEvent[], copies = 1): Delivery[] {
    const endpoints = account.tables.webhook_endpoint.newestFirst();
    const rows = events.flatMap(event =>
      endpoints
        .filter(endpoint => wants(endpoint, event.type))
        .flatMap(({ id }) => Array.from({ length: copies }, () => addDelivery(account, event, id, 'scheduled'))),
    );
    void this.#sendInTurn(
      account,
      rows.map(({ id }) => id),
    );
    return rows;
  }

  /** Lets held deliveries go, one after another, so that they arrive in this order. Returns how many there were. */
  release(account: Account, order: ReleaseOrder): number {
    const held = account.tables.delivery.newestFirst().filter(({ status }) => status === 'held');
    const oldestFirst = held.toReversed();
    const sorted = order === 'created' ? oldestFirst : order === 'reversed' ? held : shuffled(oldestFirst, order.seed);
    for (const row of sorted) account.tables.delivery.put({ ...row, status: 'scheduled', nextAttemptAt: Date.now() });
    void this.#sendInTurn(
      account,
      sorted.map(({ id }) => id),
    );
    return sorted.length;
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    for (const { timer } of this.#pools.values()) clearTimeout(timer);
    this.#poster.close();
  }

  #planFor(account: Account, event: StoredEvent, endpoint: string): Delivery[] {
    const rules = rulesFor(account, event.type);
    if (rules.dropNext > 0) {
      account.change({ rules: { ...account.state.rules, dropNext: rules.dropNext - 1 } });
      return [addDelivery(account, event, endpoint, 'dropped')];
    }
    const status = rules.hold ? 'held' : 'scheduled';
    return Array.from({ length: rules.copies }, () => addDelivery(account, event, endpoint, status));
  }

  #collect(account: Account, id: string, { seed, windowMs }: { seed: number; windowMs: number }): void {
    const pool = this.#pools.get(account);
    if (pool) {
      pool.ids.push(id);
      return;
    }
    const timer = setTimeout(() => {
      const ids = this.#pools.get(account)?.ids ?? [];
      this.#pools.delete(account);
      void this.#sendInTurn(account, shuffled(ids, seed));
    }, windowMs);
    this.#pools.set(account, { ids: [id], timer });
  }

  async #sendInTurn(account: Account, ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.#attempt(account, id);
  }

  #enqueue(account: Account, id: string): void {
    if (this.#closed) return;
    this.#queue.push({ account, id });
    this.#pump();
  }

  #pump(): void {
    while (this.#running < PARALLEL && !this.#closed) {
      const next = this.#queue.shift();
      if (!next) return;
      this.#running += 1;
      void this.#attempt(next.account, next.id).finally(() => {
        this.#running -= 1;
        this.#pump();
      });
    }
  }

  async #attempt(account: Account, id: string): Promise<void> {
    const row = account.tables.delivery.get(id);
    const event = row && account.tables.event.get(row.event);
    const endpoint = row && account.tables.webhook_endpoint.get(row.endpoint);
    if (!row || row.status !== 'scheduled') return;
    if (!event || !endpoint?.secret || endpoint.status !== 'enabled') {
      this.#settle(account, { ...row, status: 'failed', nextAttemptAt: null, lastError: 'the endpoint is gone' });
      return;
    }
    const body = renderEvent(account, event, endpoint.api_version ?? undefined);
    const signature = signatureHeader(body, endpoint.secret, Math.floor(Date.now() / 1000));
    const outcome = await this.#poster.post(endpoint.url, body, signature).then(
      status => ({ status, error: null }),
      (error: unknown) => ({ status: null, error: error instanceof Error ? error.message : String(error) }),
    );
    // A process that is shutting down cut the connection itself; the next one tries again.
    if (this.#closed) return;
    this.#conclude(account, id, outcome);
  }

  #conclude(account: Account, id: string, { status, error }: { status: number | null; error: string | null }): void {
    const row = account.tables.delivery.get(id);
    if (!row) return;
    const attempts = row.attempts + 1;
    const tried = { ...row, attempts, lastStatus: status, lastError: error };
    if (status !== null && status >= 200 && status < 300) {
      this.#settle(account, { ...tried, status: 'delivered', nextAttemptAt: null, deliveredAt: Date.now() });
      return;
    }
    if (attempts >= MOST_ATTEMPTS) {
      this.#logger.warn({ event: row.event, attempts }, 'webhook given up');
      this.#settle(account, { ...tried, status: 'failed', nextAttemptAt: null });
      return;
    }
    const pause = PAUSES_MS[Math.min(attempts - 1, PAUSES_MS.length - 1)] ?? 60_000;
    // The first tries often fall into a restart of the receiver; one that goes on failing is worth a look.
    const level = attempts === NOTEWORTHY_ATTEMPT ? 'warn' : 'debug';
    this.#logger[level]({ event: row.event, type: row.type, attempts, status, error, pause }, 'webhook not accepted');
    this.#settle(account, { ...tried, nextAttemptAt: Date.now() + pause });
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#enqueue(account, id);
    }, pause);
    this.#timers.add(timer);
  }

  #settle(account: Account, row: Delivery): void {
    account.tables.delivery.put(row);
    this.#persist();
  }
}

function wants(endpoint: WebhookEndpoint, type: string): boolean {
  const { status, enabled_events: types } = endpoint;
  return status === 'enabled' && (types.includes('*') || types.includes(type));
}

function rulesFor(account: Account, type: string): DeliveryRules {
  const { rules } = account.state;
  if (rules.types === null || rules.types.includes(type)) return rules;
  return { hold: false, copies: 1, shuffle: null, dropNext: 0, types: null };
}

function addDelivery(account: Account, event: StoredEvent, endpoint: string, status: Delivery['status']): Delivery {
  const row: Delivery = {
    id: newId('whd_'),
    event: event.id,
    endpoint,
    type: event.type,
    status,
    attempts: 0,
    createdAt: Date.now(),
    nextAttemptAt: status === 'scheduled' ? Date.now() : null,
    deliveredAt: null,
    lastStatus: null,
    lastError: null,
  };
  account.tables.delivery.put(row);
  return row;
}
