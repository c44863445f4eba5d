import { isDeepStrictEqual } from 'node:util';
import { idOf, type LogEvent, type Shown, type World } from './world.ts';

/** What a deleted customer's events have lost. */
const ERASED = ['email', 'name', 'externalId', 'metadata'];
const CREDIT_FIELDS = ['id', 'referralId', 'customerId', 'amount', 'currency', 'status'];
/** What is wrong, in words. */
export type Problems = string[];

const keyOf = ({ object }: LogEvent): string => `${object.type} ${object.id}`;
export const text = (value: unknown): string => JSON.stringify(value);
export const brief = ({ position, type, object, cause }: LogEvent): string =>
  `${position} ${type} ${object.id}#${object.sequence} by ${cause.type}`;
export const byObject = (events: readonly LogEvent[]) => Map.groupBy(events, keyOf);

/** Positions and sequences grow by one, in one order. */
export function checkOrder(events: readonly LogEvent[], problems: Problems): void {
  events.forEach((event, index) => {
    if (event.position !== index + 1) problems.push(`position ${event.position} is at place ${index + 1}`);
  });
  for (const [key, ofOne] of byObject(events))
    ofOne.forEach(({ object: { sequence } }, index) => {
      if (sequence !== index + 1) problems.push(`${key} has sequence ${sequence} at place ${index + 1}`);
    });
}

/** What is published of an object, without its personal data when it is deleted. */
const shownAs = (kind: string, shown: Shown): Shown =>
  kind === 'referral_credit' ? Object.fromEntries(CREDIT_FIELDS.map(name => [name, shown[name]])) : shown;

/** The fold of the events is what the API lists, and each state that it showed was published. */
export async function checkStates(world: World, events: readonly LogEvent[], problems: Problems): Promise<void> {
  const objects = byObject(events);
  const listed = await world.look();
  const isDeleted = (key: string) => objects.get(key)?.at(-1)?.type.endsWith('.deleted') ?? false;
  for (const [key, shown] of listed) {
    const [kind = ''] = key.split(' ');
    const last = objects.get(key)?.at(-1);
    if (kind === 'referral_credit' && shown['status'] === 'pending') continue;
    if (!last) problems.push(`${key} is listed and was never published`);
    else if (isDeleted(key)) problems.push(`${key} is listed and was published as deleted`);
    else if (!isDeepStrictEqual(last.data, shownAs(kind, shown)))
      problems.push(
        `${key} is listed as ${text(shownAs(kind, shown))}, was published as ${text(last.data)} in ${brief(last)}`,
      );
  }
  for (const [key, ofOne] of objects) {
    if (!listed.has(key) && !isDeleted(key) && !/^(webhook_endpoint|customer_state) /.test(key))
      problems.push(`${key} is not listed, and was not published as deleted: ${ofOne.map(brief).join()}`);
  }
  const seen = new Map(world.seen.map(it => [text(it), it]));
  for (const { kind, shown } of seen.values()) {
    const key = `${kind} ${idOf(kind, shown)}`;
    if ((kind === 'customer' && isDeleted(key)) || shown['status'] === 'pending') continue;
    const states = (objects.get(key) ?? []).map(({ data }) => data);
    if (!states.some(data => isDeepStrictEqual(data, shownAs(kind, shown))))
      problems.push(`${key} was shown as ${text(shown)}, published as ${text(states)}`);
  }
}

/** Each published state differs in entitlements or payment from the one before, and the last one is what the API shows. */
export async function checkCustomerStates(
  world: World,
  events: readonly LogEvent[],
  problems: Problems,
): Promise<void> {
  const objects = byObject(events);
  const essence = ({ entitlements, payment }: Shown) => ({ entitlements, status: Object(payment).status });
  const nothing = { entitlements: {}, payment: { status: 'ok' } };
  for (const ofOne of objects.values()) {
    const { object, type } = ofOne.at(-1) ?? {};
    if (object?.type !== 'customer') continue;
    const published = objects.get(`customer_state ${object.id}`) ?? [];
    const shown = type === 'customer.deleted' ? nothing : await world.state(object.id);
    const states = [nothing, ...published.map(({ data }) => data)].map(essence);
    states.forEach((state, index) => {
      if (index > 0 && isDeepStrictEqual(state, states[index - 1]))
        problems.push(`the state of ${object.id} was published twice: ${text(state)}`);
    });
    if (!isDeepStrictEqual(states.at(-1), essence(shown)))
      problems.push(`the state of ${object.id} is ${text(essence(shown))}, was published as ${text(states.at(-1))}`);
  }
}

/** Each event says how its object differs from the event before. */
export function checkDifferences(events: readonly LogEvent[], problems: Problems): void {
  for (const ofOne of byObject(events).values()) {
    const isErased = ofOne.at(-1)?.type === 'customer.deleted';
    ofOne.forEach((event, index) => {
      const before = ofOne[index - 1]?.data;
      const { data, previousAttributes } = event;
      const names = new Set([...Object.keys(before ?? {}), ...Object.keys(data)]);
      for (const time of ['updatedAt', 'asOf']) names.delete(time);
      const changed = [...names].filter(name => !isDeepStrictEqual(before?.[name] ?? null, data[name] ?? null));
      const expected = before
        ? Object.fromEntries(
            changed.filter(name => !isErased || !ERASED.includes(name)).map(name => [name, before[name] ?? null]),
          )
        : null;
      if (!isDeepStrictEqual(previousAttributes, expected))
        problems.push(`${brief(event)} has previousAttributes ${text(previousAttributes)}, not ${text(expected)}`);
    });
  }
}

const INVOICE: Readonly<Record<string, string>> = { open: 'finalized', paid: 'paid', void: 'voided' };
const AFTER_DISPUTE = new Set(['succeeded', 'refunded', 'partially_refunded']);

const HAS_TAKEN_MONEY = new Set([...AFTER_DISPUTE, 'inquiry', 'disputed', 'dispute_lost']);

/** Which types a change may have, by the rules of the specification alone. */
function deserved({ object: { type, sequence }, data, previousAttributes }: LogEvent): string[] {
  const before: Shown = { ...data, ...previousAttributes };
  const [was, is] = [sequence === 1 ? undefined : before['status'], data['status']];
  const isNew = sequence === 1;
  // An object that is first seen in a later state has a second event, with nothing that changed.
  const isSame = !isNew && Object.keys(previousAttributes ?? {}).length === 0;
  const isSecond = sequence === 2 && isSame;
  switch (type) {
    case 'customer':
      // What changed of one that was deleted since is erased.
      return isNew ? ['created'] : isSame ? ['deleted', 'updated'] : ['updated'];
    case 'product':
    case 'price':
      return isNew ? ['created'] : isSame ? ['deleted'] : ['updated'];
    case 'subscription':
      if (isNew) return ['created'];
      if (is === 'canceled' && (was !== is || isSecond)) return ['canceled'];
      return isSame ? ['trial_ending'] : ['updated'];
    case 'invoice':
      if (isNew) return ['created'];
      return was !== is || isSecond ? [INVOICE[String(is)] ?? String(is)] : ['updated'];
    case 'payment': {
      if (HAS_TAKEN_MONEY.has(String(is)) && !HAS_TAKEN_MONEY.has(String(was))) return ['succeeded'];
      const refunded = isSame
        ? String(is).endsWith('refunded')
        : Number(data['amountRefunded']) > Number(before['amountRefunded']);
      if (isSame && !refunded) return [String(is)];
      if (is === 'disputed' && was !== is) return ['disputed'];
      if (is === 'dispute_lost' && was !== is) return ['dispute_lost'];
      if (was === 'disputed' && AFTER_DISPUTE.has(String(is))) return ['dispute_won'];
      if (refunded) return ['refunded'];
      if (is === 'failed' && was !== is) return ['failed'];
      return is === 'failed' ? ['failed', 'updated'] : ['updated'];
    }
    case 'referral':
      return [isNew ? 'created' : 'converted'];
    case 'referral_code':
      return [isNew ? 'created' : 'deactivated'];
    case 'referral_credit':
      return [String(is)];
    case 'customer_state':
      return ['changed'];
    default:
      return ['disabled'];
  }
}

/** Each event has the type of its change. */
export function checkTypes(events: readonly LogEvent[], problems: Problems): void {
  for (const event of events) {
    const types = deserved(event).map(one =>
      one === 'changed' ? 'customer.state_changed' : `${event.object.type}.${one}`,
    );
    if (!types.includes(event.type)) problems.push(`${brief(event)} deserves ${types.join()}: ${text(event)}`);
  }
}
