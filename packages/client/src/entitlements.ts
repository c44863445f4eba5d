import { isAllowed, UNLIMITED } from '@billing/contracts/entitlement-value';
import { BillingError } from './billing-error.ts';
import { statePath, type CustomerRef, type StateQuery } from './own-methods.ts';
import type { Requests } from './requests.ts';
import type * as wire from './wire.ts';

/** How long a state counts before it is read again, in milliseconds. */
const FRESH_MS = 30_000;
/** How long it counts while the service cannot be reached. */
const STALE_MS = 24 * 3_600_000;
/** How long a customer's state is not read again after the service could not be reached. */
const PAUSE_MS = 2_000;
/** How long an attempt may take: requests of yours wait for it. */
const TIMEOUT_MS = 5_000;
/** Of more customers the least recently used are forgotten. */
const MAX_CUSTOMERS = 5_000;

/** What counts while it is unknown what a customer may use. */
interface IfUnknown<Value> {
  readonly ifUnknown?: Value | undefined;
}

/** What a customer may use, as known at one moment. Call `billing.entitlements` again for each request of yours. */
export class Entitlements {
  /**
   * - `current`: as the service returned it within the last 30 seconds
   * - `stale`: the service can't be reached; as it returned it within the last 24 hours, but for what has ended since
   * - `unknown`: the service can't be reached, and nothing else is known
   */
  readonly status: 'current' | 'stale' | 'unknown';
  /** The whole state; undefined when it is unknown. */
  readonly state: wire.CustomerState | undefined;
  /** Why the service can't be reached; undefined when it can. */
  readonly failure: BillingError | undefined;
  /** By the service's clock; what has ended by then is unknown. */
  readonly #judgedAt: number;

  constructor(
    known: { readonly state: wire.CustomerState; readonly judgedAt?: number } | undefined,
    failure?: BillingError,
  ) {
    this.state = known?.state;
    this.failure = failure;
    this.status = known ? (failure ? 'stale' : 'current') : 'unknown';
    this.#judgedAt = known?.judgedAt ?? -Infinity;
  }

  /** Returns whether the customer may use a feature: `unknown` is neither yes nor no. */
  check(feature: string): 'yes' | 'no' | 'unknown' {
    const entitlement = this.#find(feature);
    if (entitlement === undefined) return 'unknown';
    return entitlement && isAllowed(entitlement.value) ? 'yes' : 'no';
  }

  /**
   * Returns whether the customer may use a feature.
   * @throws BillingError while that is unknown, unless `ifUnknown` says what then counts
   */
  allows(feature: string, { ifUnknown }: IfUnknown<boolean> = {}): boolean {
    const checked = this.check(feature);
    return checked === 'unknown' ? this.#whenUnknown(feature, ifUnknown) : checked === 'yes';
  }

  /**
   * Returns what the customer may use of a feature; null when nothing gives it.
   * @throws BillingError while that is unknown, unless `ifUnknown` says what then counts
   */
  value(feature: string, { ifUnknown }: IfUnknown<wire.FeatureValue | null> = {}): wire.FeatureValue | null {
    const entitlement = this.#find(feature);
    return entitlement === undefined ? this.#whenUnknown(feature, ifUnknown) : (entitlement?.value ?? null);
  }

  /**
   * Returns the customer's limit: 0 when nothing gives it, `Infinity` when it is unlimited.
   * @throws BillingError while that is unknown, unless `ifUnknown` says what then counts
   * @throws TypeError for a feature that is no limit
   */
  limit(feature: string, { ifUnknown }: IfUnknown<number> = {}): number {
    const entitlement = this.#find(feature);
    if (entitlement === undefined) return this.#whenUnknown(feature, ifUnknown);
    if (entitlement === null) return 0;
    if (entitlement.type !== 'limit') throw new TypeError(`The feature "${feature}" is no limit.`);
    return entitlement.value === UNLIMITED ? Infinity : Number(entitlement.value);
  }

  /** Null when nothing gives it, undefined when that is unknown. */
  #find(feature: string): wire.Entitlement | null | undefined {
    if (!this.state) return undefined;
    const { entitlements } = this.state;
    const found = Object.hasOwn(entitlements, feature) ? entitlements[feature] : undefined;
    if (!found) return null;
    return endsBy(found, this.#judgedAt) ? undefined : found;
  }

  #whenUnknown<Value>(feature: string, ifUnknown: Value | undefined): Value {
    if (ifUnknown !== undefined) return ifUnknown;
    throw new BillingError(
      {
        status: this.failure?.status ?? 0,
        code: 'entitlements_unknown',
        message: `The billing service can't be reached, so it is unknown whether the customer may use "${feature}".`,
        requestId: this.failure?.requestId,
      },
      { cause: this.failure },
    );
  }
}

/** A checkout whose outcome the state has to include. */
export type EntitlementOptions = Pick<StateQuery, 'checkoutSession' | 'waitMs'>;

/** A state that the service sent. */
interface Known {
  readonly state: wire.CustomerState;
  readonly tag: string | undefined;
  /** Returns what time it is by the service's clock, at most. */
  readonly timeThere: (at: number) => number;
  /** As `timeThere`, now, at least. */
  readonly leastTimeThere: () => number;
  /** When it was last requested: by our clock, at least by the service's, and the place among all requests. */
  confirmed: { readonly at: number; readonly there: number; readonly place: number };
}

/** What is known of a customer. */
interface Entry {
  known?: Known | undefined;
  failure?: { readonly error: BillingError; readonly at: number } | undefined;
  /** Concurrent callers share one request. */
  reading?: Promise<void> | undefined;
}

interface Dependencies {
  readonly requests: Requests;
  /** How long an attempt may take, when less than 5 seconds. */
  readonly timeoutMs?: number | undefined;
  /** Returns milliseconds since 1970. */
  readonly now?: () => number;
  /** Returns milliseconds since any moment, by a clock that nobody sets. */
  readonly elapsed?: () => number;
}

/**
 * Returns `billing.entitlements`, which keeps the states of customers in memory: for 30 seconds without a request, and through
 * an outage until an entitlement's end, at most 24 hours.
 */
export function openEntitlements({
  requests,
  now = Date.now,
  elapsed = () => performance.now(),
  ...options
}: Dependencies) {
  const timeoutMs = Math.min(options.timeoutMs ?? TIMEOUT_MS, TIMEOUT_MS);
  const entries = new Map<string, Entry>();
  let sent = 0;

  function entryOf(customer: CustomerRef): Entry {
    const key = statePath(customer);
    const entry = entries.get(key) ?? {};
    entries.delete(key);
    entries.set(key, entry); // the last is the most recently used
    if (entries.size > MAX_CUSTOMERS) entries.delete(String(entries.keys().next().value));
    return entry;
  }

  /** @throws BillingError also when the service can't be reached */
  async function read(customer: CustomerRef, entry: Entry, query: EntitlementOptions = {}): Promise<Known> {
    const [at, sentAt, place] = [now(), elapsed(), (sent += 1)];
    const has = isWithin(entry.known, STALE_MS, at) ? entry.known : undefined;
    const there = has?.leastTimeThere() ?? 0;
    const { body, tag } = await requests.sendTagged<{ readonly state: wire.CustomerState } | undefined>({
      method: 'GET',
      path: statePath(customer),
      query,
      waitMs: query.waitMs,
      tag: has?.tag,
      // With a state at hand nobody has to wait long; a checkout may have to be read at the payment processor first.
      options: query.checkoutSession === undefined ? { timeoutMs, ...(has && { maxRetries: 0 }) } : {},
    });
    const isNewest = (entry.known?.confirmed.place ?? 0) < place;
    if (!body && has) {
      if (isNewest) has.confirmed = { at, there, place };
      return has;
    }
    if (!body?.state) throw new BillingError({ status: 200, code: 'unexpected_response', message: 'Not a state.' });
    const asOf = Date.parse(body.state.asOf);
    // Our clock may be set back meanwhile; the other one may rest while the computer sleeps.
    const timeThere = (time: number): number => asOf + Math.max(time - at, elapsed() - sentAt);
    const receivedAt = elapsed();
    const leastTimeThere = (): number => asOf + elapsed() - receivedAt;
    const known = { state: body.state, tag, timeThere, leastTimeThere, confirmed: { at, there: asOf, place } };
    if (isNewest) Object.assign(entry, { known, failure: undefined });
    return known;
  }

  async function refresh(customer: CustomerRef, entry: Entry): Promise<void> {
    try {
      await read(customer, entry);
      entry.failure = undefined;
    } catch (error) {
      if (!(error instanceof BillingError && isOutage(error))) {
        entry.known = undefined;
        throw error;
      }
      entry.failure = { error, at: now() };
    }
  }

  /** Returns whether the state has to be read. */
  function isDue({ known, failure }: Entry): boolean {
    const at = now();
    if (failure && at >= failure.at && at < failure.at + PAUSE_MS) return false;
    if (!known || !isWithin(known, FRESH_MS, at)) return true;
    // What the service still returns after its end, until the processor ends it, is no reason to read it each time.
    const { timeThere, confirmed } = known;
    return Object.values(known.state.entitlements).some(
      one => endsBy(one, timeThere(at)) && !endsBy(one, confirmed.there),
    );
  }

  return async (customer: CustomerRef, query: EntitlementOptions = {}): Promise<Entitlements> => {
    const entry = entryOf(customer);
    if (query.checkoutSession !== undefined) return new Entitlements(await read(customer, entry, query));
    if (isDue(entry)) {
      entry.reading ??= refresh(customer, entry).finally(() => (entry.reading = undefined));
      await entry.reading;
    }
    const { known, failure: { error } = {} } = entry;
    const at = now();
    if (!known || !isWithin(known, STALE_MS, at)) return new Entitlements(undefined, error);
    // What the service has just confirmed has not ended, whatever the clocks say.
    return new Entitlements({ state: known.state, ...(error && { judgedAt: known.timeThere(at) }) }, error);
  };
}

const isWithin = (known: Known | undefined, ms: number, at: number): boolean =>
  known !== undefined && at >= known.confirmed.at && at < known.confirmed.at + ms;

const endsBy = ({ until }: wire.Entitlement, at: number): boolean => until !== null && Date.parse(until) <= at;

/** A failure that says nothing about the request: none of the service's own refusals, but of too many requests. */
const isOutage = ({ status, code }: BillingError): boolean =>
  status === 0 || status >= 500 || status === 408 || status === 429 || code === 'unexpected_response';
