import type { BillingEvent, CustomerState, Feature, Subscription } from '@billing/client';
import { unitOf, type ProductNames } from '#api/product-names.ts';
import { formatCount, formatItems } from '#ui/amount.ts';
import { sentence } from '#ui/sentence.ts';
import { formatValue } from '../features/feature-words.ts';

type State = Pick<CustomerState, 'subscriptions' | 'entitlements'>;
type Shown = State['subscriptions'][number];

/** What a customer's state was before a time and after it. */
export interface StateChange {
  readonly at: string;
  readonly before: State;
  readonly after: State;
}

export interface Words {
  readonly names: ProductNames;
  readonly features: readonly Feature[];
}

/** Returns the changes of a customer's state that events tell, in their order. The first state is no change. */
export const stateChanges = (events: readonly BillingEvent[]): readonly StateChange[] =>
  events.flatMap(event => {
    if (event.type !== 'customer.state_changed' || event.truncated || !event.previousAttributes) return [];
    const { timestamp: at, data: after, previousAttributes: previous } = event;
    const before = {
      subscriptions: previous.subscriptions ?? after.subscriptions,
      entitlements: previous.entitlements ?? after.entitlements,
    };
    return [{ at, before, after }];
  });

/** Says why a subscription gives nothing: `is unpaid`. */
export function whyNothing({ status }: Pick<Subscription, 'status'>): string {
  if (status === 'past_due') return 'is past due, and its grace is over';
  if (status === 'unpaid') return 'is unpaid';
  if (status === 'paused') return 'is paused, for want of a payment method';
  return status === 'incomplete' ? 'waits for its first payment' : 'has ended';
}

/** Returns what a subscription was to at a time, in milliseconds, of changes that come newest first. */
export function itemsAt(
  subscription: Subscription,
  at: number,
  changes: readonly StateChange[],
): Subscription['items'] {
  const later = changes
    .filter(change => Date.parse(change.at) > at)
    .flatMap(({ before }) => before.subscriptions.find(({ id }) => id === subscription.id) ?? []);
  return (later.at(-1) ?? subscription).items;
}

const soldIn = ({ items }: Shown): string =>
  JSON.stringify(items.map(({ processorPriceId, quantity }) => [processorPriceId, quantity]));

function countText({ priceId, quantity }: Shown['items'][number], names: ProductNames): string {
  const unit = unitOf(names, priceId, quantity);
  return `${formatCount(quantity)}${unit ? ` ${unit}` : ''}`;
}

/** Returns how the plan of each subscription changed: `Pro went from 3 to 5 seats`. */
export function describePlanChanges({ before, after }: StateChange, { names }: Words) {
  return after.subscriptions.flatMap(to => {
    const from = before.subscriptions.find(({ id }) => id === to.id);
    if (!from || soldIn(from) === soldIn(to)) return [];
    const [old, item] = [from.items[0], to.items[0]];
    const isQuantity = old && item && to.items.length === 1 && from.items.length === 1 && old.priceId === item.priceId;
    const text = isQuantity
      ? `${names.ofItems(to.items)} went from ${formatCount(old.quantity)} to ${countText(item, names)}`
      : `Went from ${names.ofItems(from.items)} to ${names.ofItems(to.items)}: ${formatItems(to.items)}`;
    return [{ subscription: to, text }];
  });
}

/** Returns what the customer may use since then, and may not any more: `Lost SSO; seats from 5 to 1`; empty for no difference. */
export function describeEntitlementChange({ before, after }: StateChange, { features }: Words): string {
  const [lost, got, changed]: [string[], string[], string[]] = [[], [], []];
  for (const key of Object.keys({ ...before.entitlements, ...after.entitlements })) {
    const [from, to] = [before.entitlements[key], after.entitlements[key]];
    const name = features.find(feature => feature.key === key)?.name ?? key;
    if (!to) lost.push(name);
    else if (!from) got.push(name);
    else if (from.value !== to.value)
      changed.push(`${name} from ${formatValue(from.value, from.type)} to ${formatValue(to.value, to.type)}`);
  }
  const parts = [lost.length > 0 && `lost ${lost.join(', ')}`, got.length > 0 && `got ${got.join(', ')}`, ...changed];
  return sentence(parts.filter(part => part !== false).join('; '));
}

const grantIn = ({ entitlements }: State, key: string) =>
  entitlements[key]?.sources.find(({ kind }) => kind === 'grant')?.value;

/** Returns why the customer may use other things since then: `Pro has ended`; undefined where the state does not say it. */
export function reasonOf({ before, after }: StateChange, { names }: Words): string | undefined {
  const giving = ({ subscriptions }: State) => subscriptions.filter(({ grants }) => grants);
  const nameOf = ({ items }: Shown) => names.ofItems(items);
  const missing = giving(before).find(({ id }) => !giving(after).some(it => it.id === id));
  if (missing) {
    const now = after.subscriptions.find(({ id }) => id === missing.id);
    return `${nameOf(missing)} ${now ? whyNothing(now) : 'has ended'}`;
  }
  const added = giving(after).find(({ id }) => !giving(before).some(it => it.id === id));
  if (added) return `${nameOf(added)} gives it`;
  const keys = Object.keys({ ...before.entitlements, ...after.entitlements });
  const given = keys.find(key => grantIn(before, key) !== grantIn(after, key));
  if (given === undefined) return undefined;
  return grantIn(after, given) === undefined ? 'what was given by hand has ended' : 'given by hand';
}
