import type { Logger } from 'pino';
import { newId } from '../domain/ids.ts';
import { inOrder, type Order, shuffled } from '../domain/shuffle.ts';
import type { Delivery, StoredEvent, WebhookEndpoint } from '../objects/stored.ts';
import { type Account, DEFAULT_RULES, type DeliveryRules } from '../store/account.ts';
import { renderEvent } from './render-event.ts';
import { signatureHeader, WebhookPoster, type WebhookTargets } from './webhook-poster.ts';

/** Delays before the retries, in milliseconds; the last one repeats. Stripe's hours are seconds here. */
const RETRY_DELAYS_MS = [200, 1_000, 3_000, 10_000, 30_000, 60_000];
const MAX_ATTEMPTS = 48;
/** The failed attempt that is logged as a warning. */
const WARN_AT_ATTEMPT = 4;
const CONCURRENCY = 32;

/** The deliveries of one shuffle window. */
interface ShuffleWindow {
  ids: string[];
  timer: NodeJS.Timeout;
}

/**
 * Delivers events to webhook endpoints until they are accepted. Deliveries start in the order of their events and run
 * concurrently, so they may arrive in any order, as with Stripe.
 */
export class Deliveries {
  readonly #poster: WebhookPoster;
  readonly #logger: Logger;
  readonly #persist: () => void;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #shuffleWindows = new Map<Account, ShuffleWindow>();
  readonly #queue: { account: Account; id: string }[] = [];
  #running = 0;
  #closed = false;

  constructor(logger: Logger, persist: () => void, targets: WebhookTargets) {
    this.#poster = new WebhookPoster(targets);
    this.#logger = logger;
    this.#persist = persist;
  }

  /** Records a delivery for every enabled endpoint that subscribes to the event. `start` sends them. */
  plan(account: Account, events: readonly StoredEvent[]): Delivery[] {
    const endpoints = account.tables.webhook_endpoint.newestFirst().toReversed();
    return events.flatMap(event =>
      endpoints
        .filter(endpoint => subscribes(endpoint, event.type))
        .flatMap(endpoint => this.#planFor(account, event, endpoint.id)),
    );
  }

  /** Sends planned deliveries. */
  start(account: Account, deliveries: readonly Delivery[]): void {
    for (const { id, status, type } of deliveries) {
      if (status !== 'scheduled') continue;
      const { shuffle } = rulesFor(account, type);
      if (shuffle) this.#addToShuffleWindow(account, id, shuffle);
      else this.#enqueue(account, id);
    }
  }

  /** Resumes the deliveries that a previous process did not complete. */
  resume(account: Account): void {
    const rows = account.tables.delivery.newestFirst().toReversed();
    this.start(
      account,
      rows.filter(({ status }) => status === 'scheduled'),
    );
  }

  /**
   * Sends events again to every subscribed endpoint, regardless of earlier deliveries. They are attempted one after
   * another, so they arrive in this order.
   */
  resend(account: Account, events: readonly StoredEvent[], copies = 1): Delivery[] {
    const endpoints = account.tables.webhook_endpoint.newestFirst();
    const rows = events.flatMap(event =>
      endpoints
        .filter(endpoint => subscribes(endpoint, event.type))
        .flatMap(({ id }) => Array.from({ length: copies }, () => addDelivery(account, event, id, 'scheduled'))),
    );
    void this.#sendSequentially(
      account,
      rows.map(({ id }) => id),
    );
    return rows;
  }

  /** Sends held deliveries one after another, so that they arrive in this order. Returns their number. */
  release(account: Account, order: Order): number {
    const held = account.tables.delivery.newestFirst().filter(({ status }) => status === 'held');
    const sorted = inOrder(held, order);
    for (const row of sorted) account.tables.delivery.put({ ...row, status: 'scheduled', nextAttemptAt: Date.now() });
    void this.#sendSequentially(
      account,
      sorted.map(({ id }) => id),
    );
    return sorted.length;
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    for (const { timer } of this.#shuffleWindows.values()) clearTimeout(timer);
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

  #addToShuffleWindow(account: Account, id: string, { seed, windowMs }: { seed: number; windowMs: number }): void {
    const open = this.#shuffleWindows.get(account);
    if (open) {
      open.ids.push(id);
      return;
    }
    const timer = setTimeout(() => {
      const ids = this.#shuffleWindows.get(account)?.ids ?? [];
      this.#shuffleWindows.delete(account);
      void this.#sendSequentially(account, shuffled(ids, seed));
    }, windowMs);
    this.#shuffleWindows.set(account, { ids: [id], timer });
  }

  async #sendSequentially(account: Account, ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.#attempt(account, id);
  }

  #enqueue(account: Account, id: string): void {
    if (this.#closed) return;
    this.#queue.push({ account, id });
    this.#pump();
  }

  #pump(): void {
    while (this.#running < CONCURRENCY && !this.#closed) {
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
      this.#save(account, {
        ...row,
        status: 'failed',
        nextAttemptAt: null,
        lastError: 'the endpoint was deleted or disabled',
      });
      return;
    }
    const body = renderEvent(account, event);
    const signature = signatureHeader(body, endpoint.secret, Math.floor(Date.now() / 1000));
    const outcome = await this.#poster.post(endpoint.url, body, signature).then(
      status => ({ status, error: null }),
      (error: unknown) => ({ status: null, error: error instanceof Error ? error.message : String(error) }),
    );
    // A process that shuts down closes the connection itself; the next process retries.
    if (this.#closed) return;
    this.#recordAttempt(account, id, outcome);
  }

  #recordAttempt(
    account: Account,
    id: string,
    { status, error }: { status: number | null; error: string | null },
  ): void {
    const row = account.tables.delivery.get(id);
    if (!row) return;
    const attempts = row.attempts + 1;
    const attempted = { ...row, attempts, lastStatus: status, lastError: error };
    if (status !== null && status >= 200 && status < 300) {
      this.#save(account, { ...attempted, status: 'delivered', nextAttemptAt: null, deliveredAt: Date.now() });
      return;
    }
    if (attempts >= MAX_ATTEMPTS) {
      this.#logger.warn({ event: row.event, attempts }, 'webhook failed after the last attempt');
      this.#save(account, { ...attempted, status: 'failed', nextAttemptAt: null });
      return;
    }
    const delayMs = RETRY_DELAYS_MS[Math.min(attempts - 1, RETRY_DELAYS_MS.length - 1)] ?? 60_000;
    // First attempts often fail while the receiver restarts; repeated failures need attention.
    const level = attempts === WARN_AT_ATTEMPT ? 'warn' : 'debug';
    this.#logger[level]({ event: row.event, type: row.type, attempts, status, error, delayMs }, 'webhook not accepted');
    this.#save(account, { ...attempted, nextAttemptAt: Date.now() + delayMs });
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#enqueue(account, id);
    }, delayMs);
    this.#timers.add(timer);
  }

  #save(account: Account, row: Delivery): void {
    account.tables.delivery.put(row);
    this.#persist();
  }
}

function subscribes(endpoint: WebhookEndpoint, type: string): boolean {
  const { status, enabled_events: types } = endpoint;
  return status === 'enabled' && (types.includes('*') || types.includes(type));
}

function rulesFor(account: Account, type: string): DeliveryRules {
  const { rules } = account.state;
  if (rules.types === null || rules.types.includes(type)) return rules;
  return DEFAULT_RULES;
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
