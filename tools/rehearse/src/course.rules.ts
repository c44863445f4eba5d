import { formatMoney } from '@billing/client';
import { eventsAbout, type Names } from './happenings.rules.ts';
import type { Entry } from './timeline.rules.ts';

/** What was so from a time on. */
export interface Change {
  /** In milliseconds since 1970. */
  readonly from: number;
  readonly text: string;
}

export interface Bill {
  readonly at: number;
  readonly money: string;
  readonly status: string;
  /** Whether it was open after a step: nobody paid at once. */
  readonly isLate: boolean;
}

/** What became of a customer. */
export interface Course {
  readonly name: string;
  readonly subscription: readonly Change[];
  readonly invoices: readonly Bill[];
  /** By feature. */
  readonly entitlements: ReadonlyMap<string, readonly Change[]>;
}

/** Returns what became of each customer who was sold something, from the entries of a timeline that starts at `start`. */
export function coursesOf(entries: readonly Entry[], names: Names, start: string): readonly Course[] {
  return [...names.customers]
    .map(([id, name]) => courseOf(entries, id, name, start, names))
    .filter(({ subscription, invoices }) => subscription.length + invoices.length > 0);
}

function courseOf(entries: readonly Entry[], id: string, name: string, start: string, { prices }: Names): Course {
  const subscription: Change[] = [];
  const entitlements = new Map<string, Change[]>();
  const invoices = new Map<string, Bill>();
  let before = Date.parse(start);
  for (const { events, at } of entries) {
    const bills = eventsAbout(events, 'invoice').filter(({ data }) => data.customerId === id);
    const states = eventsAbout(events, 'subscription').filter(({ data }) => data.customerId === id);
    for (const { object, data } of bills) {
      const money = formatMoney(data.total ?? data.amountDue, data.currency);
      const isLate = invoices.get(object.id)?.isLate ?? false;
      invoices.set(object.id, { at: Date.parse(data.createdAt), money, status: data.status, isLate });
    }
    for (const [key, bill] of invoices) if (bill.status === 'open') invoices.set(key, { ...bill, isLate: true });
    // Events say what changed, but not at which time of the clock.
    const from = lastWithin(before, Date.parse(at), [
      ...bills.map(({ data }) => data.paidAt),
      ...states.flatMap(({ data }) => [data.currentPeriodStart, data.endedAt]),
    ]);
    const current = states.at(-1)?.data;
    if (current) append(subscription, from, `${prices.get(current.priceId ?? '') ?? ''} ${current.status}`.trim());
    const given = eventsAbout(events, 'customer_state').findLast(({ object }) => object.id === id)?.data.entitlements;
    if (given)
      for (const key of new Set([...entitlements.keys(), ...Object.keys(given)])) {
        const changes = entitlements.get(key) ?? [];
        append(changes, from, String(given[key]?.value ?? 'none'));
        entitlements.set(key, changes);
      }
    before = Date.parse(at);
  }
  return { name, subscription, invoices: [...invoices.values()], entitlements };
}

function append(changes: Change[], from: number, text: string): void {
  if (changes.at(-1)?.text !== text) changes.push({ from, text });
}

function lastWithin(after: number, until: number, times: readonly (string | null)[]): number {
  const within = times
    .flatMap(time => (time === null ? [] : [Date.parse(time)]))
    .filter(at => at >= after && at <= until);
  return within.length === 0 ? until : Math.max(...within);
}
