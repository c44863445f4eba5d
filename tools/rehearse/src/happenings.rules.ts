import { formatMoney, type BillingEvent } from '@billing/client';

/** How people know what has ids. */
export interface Names {
  readonly customers: ReadonlyMap<string, string>;
  /** The keys of prices. */
  readonly prices: ReadonlyMap<string, string>;
}

/** One thing that happened to a customer, in words. */
export interface Happening {
  /** In UTC; null where it has no time of its own. */
  readonly at: string | null;
  /** The name of the customer. */
  readonly who: string;
  readonly what: string;
  readonly text: string;
}

type EventsOf<Type extends BillingEvent['object']['type']> = Extract<
  BillingEvent,
  { readonly object: { readonly type: Type }; readonly truncated?: undefined }
>;
type Entitlements = EventsOf<'customer_state'>['data']['entitlements'];

/** Returns the events about one kind of object; one that is too long to have its data is left out. */
export const eventsAbout = <Type extends BillingEvent['object']['type']>(
  events: readonly BillingEvent[],
  type: Type,
): readonly EventsOf<Type>[] =>
  events.filter((event): event is EventsOf<Type> => event.object.type === type && !event.truncated);

/** Returns whose an event is; null for one of no customer. */
export function customerOf({ object, data }: BillingEvent): string | null {
  if (object.type === 'customer' || object.type === 'customer_state' || object.type === 'customer_billing_details')
    return object.id;
  return data && 'customerId' in data ? data.customerId : null;
}

/**
 * Returns what events of the rehearsal's customers tell, in the order of time, what has no time last: each object once, as it became,
 * with the states between.
 */
export function happeningsOf(events: readonly BillingEvent[], names: Names): readonly Happening[] {
  const happenings = [
    ...byObject(eventsAbout(events, 'invoice')).map(invoiceLine),
    ...byObject(eventsAbout(events, 'payment')).flatMap(paymentLine),
    ...byObject(eventsAbout(events, 'subscription')).flatMap(all => subscriptionLine(all, names)),
    ...byObject(eventsAbout(events, 'customer_state')).flatMap(stateLines),
  ];
  return happenings
    .map(({ customerId, ...happening }) => ({ ...happening, who: names.customers.get(customerId ?? '') ?? '' }))
    .toSorted((one, other) => timeOf(one) - timeOf(other));
}

/** What has no time is last; two of them are equally so. */
const timeOf = ({ at }: Happening): number => (at === null ? Number.MAX_SAFE_INTEGER : Date.parse(at));

/** Returns how often each type of event came, in the order of the first: `invoice.created, invoice.paid ×12`. */
export function eventCounts(events: readonly BillingEvent[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { type } of events) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].map(([type, count]) => (count === 1 ? type : `${type} ×${count}`));
}

interface Line extends Omit<Happening, 'who'> {
  readonly customerId: string | null;
}

/** The events of one object, in their order; there is one at least. */
type Course<Event> = readonly [Event, ...Event[]];

function byObject<Event extends BillingEvent>(events: readonly Event[]): readonly Course<Event>[] {
  const courses = new Map<string, [Event, ...Event[]]>();
  for (const event of events) {
    const course = courses.get(event.object.id);
    if (course) course.push(event);
    else courses.set(event.object.id, [event]);
  }
  return [...courses.values()];
}

const lastOf = <Item>(course: Course<Item>): Item => course.at(-1) ?? course[0];

function invoiceLine(course: Course<EventsOf<'invoice'>>): Line {
  const { number, status, currency, customerId, paidAt, createdAt, ...amounts } = lastOf(course).data;
  const money = formatMoney(amounts.total ?? amounts.amountDue, currency);
  return {
    at: status === 'paid' ? paidAt : createdAt,
    customerId,
    what: 'invoice',
    text: `${number ?? 'without number'}  ${money}  ${status}`,
  };
}

/** That a payment succeeded its invoice says. */
function paymentLine(course: Course<EventsOf<'payment'>>): Line[] {
  const { status, amount, currency, customerId, failureCode } = lastOf(course).data;
  if (status === 'succeeded') return [];
  const attempts = course.filter(({ type }) => type === 'payment.failed').length;
  const times = attempts > 1 ? ` ${attempts} times` : '';
  const why = status === 'failed' && failureCode !== null ? ` (${failureCode})` : '';
  const text = `${formatMoney(amount, currency)}  ${status}${times}${why}`;
  return [{ at: null, customerId, what: 'payment', text }];
}

function subscriptionLine(course: Course<EventsOf<'subscription'>>, { prices }: Names): Line[] {
  const { data } = lastOf(course);
  const first = course[0];
  const moves = course.filter(({ previousAttributes: before }) => before === null || before.status);
  const statuses = moves.map(({ data: { status } }) => status);
  const started = moves[0]?.previousAttributes?.status;
  const path = started ? [started, ...statuses] : statuses;
  const has = (field: keyof typeof data) =>
    course.some(({ previousAttributes }) => previousAttributes !== null && field in previousAttributes);
  const isNew = first.previousAttributes === null;
  const plan = prices.get(data.priceId ?? '') ?? data.priceId ?? '';
  const { status, trialEnd, cancelAt, paused, scheduledChange, pendingChange } = data;
  const [next] = scheduledChange?.items ?? [];
  const parts = [
    isNew || has('priceId') || has('quantity') ? [`${plan}${data.quantity === 1 ? '' : ` × ${data.quantity}`}`] : [],
    path.length > 0 ? [path.join(' → ')] : [],
    status === 'trialing' && trialEnd !== null && (isNew || has('trialEnd')) ? [`trial until ${day(trialEnd)}`] : [],
    has('cancelAt') && status !== 'canceled' ? [cancelAt === null ? 'goes on' : `ends ${day(cancelAt)}`] : [],
    has('paused') ? [paused ? 'payments paused' : 'payments resumed'] : [],
    scheduledChange && has('scheduledChange')
      ? [`becomes ${prices.get(next?.priceId ?? '') ?? 'another plan'} on ${day(scheduledChange.effectiveAt)}`]
      : [],
    pendingChange && has('pendingChange') ? ['change waits for its payment'] : [],
  ].flat();
  if (parts.length === 0) return [];
  const at = isNew ? data.startedAt : data.endedAt;
  return [{ at, customerId: data.customerId, what: 'subscription', text: parts.join('  ') }];
}

function stateLines(course: Course<EventsOf<'customer_state'>>): Line[] {
  const [first] = course;
  const { data } = lastOf(course);
  const before: Entitlements =
    first.previousAttributes === null ? {} : (first.previousAttributes.entitlements ?? first.data.entitlements);
  const keys = [...new Set([...Object.keys(before), ...Object.keys(data.entitlements)])].toSorted();
  const changed = keys.flatMap(key => {
    const [was, is] = [valueOf(before, key), valueOf(data.entitlements, key)];
    return was === is ? [] : [was === 'none' ? `${key} ${is}` : `${key} ${was} → ${is}`];
  });
  const { status, graceEndsAt } = data.payment;
  const had = course.find(({ previousAttributes }) => previousAttributes?.payment)?.previousAttributes?.payment?.status;
  const moved = had === undefined || had === status ? [] : [`${had} → ${status}`];
  const grace = graceEndsAt !== null && moved.length > 0 ? [`grace until ${day(graceEndsAt)}`] : [];
  const line = (what: string, parts: readonly string[]) =>
    parts.length === 0 ? [] : [{ at: null, customerId: data.customer.id, what, text: parts.join(', ') }];
  return [...line('state', [...moved, ...grace]), ...line('entitlements', changed)];
}

const valueOf = (entitlements: Entitlements, key: string): string => String(entitlements[key]?.value ?? 'none');

/** Returns the day of a time, in UTC. */
export const day = (time: string): string => time.slice(0, 10);
