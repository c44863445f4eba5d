/** A Stripe event, parsed from the body of a webhook. */
export interface StripeEvent {
  readonly id: string;
  readonly type: string;
  /** Unix seconds. */
  readonly created: number;
  readonly data: {
    // A Stripe object; each model reads only the fields it needs.
    // eslint-disable-next-line typescript/no-explicit-any
    readonly object: any;
  };
}

/** Orders events of the same second: `created` events first, `deleted` events last. */
const rankOf = ({ type }: StripeEvent): number => (type.endsWith('.created') ? 0 : type.endsWith('.deleted') ? 2 : 1);

/**
 * Folds the events of each object into one state, by the id that `idOf` returns. Events are applied by `created`, then by rank, then in the order of
 * `events`, which must be the order in which Stripe created them.
 */
export function foldByObject<State>(
  events: readonly StripeEvent[],
  types: RegExp,
  apply: (state: State | undefined, event: StripeEvent) => State,
  idOf = ({ data: { object } }: StripeEvent): string => String(object.id),
): Map<string, State> {
  const ordered = events
    .filter(({ type }) => types.test(type))
    .toSorted((one, other) => one.created - other.created || rankOf(one) - rankOf(other));
  const states = new Map<string, State>();
  for (const event of ordered) {
    const id = idOf(event);
    states.set(id, apply(states.get(id), event));
  }
  return states;
}

const ROUTING_KEYS = new Set(['teamId', 'projectId', 'customerId', 'priceId', 'operationId', 'changeId', 'externalId']);

/** Returns the tenant's own metadata, without the keys that billing adds to route webhooks. */
export const withoutRoutingKeys = (metadata: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(metadata).filter(([key]) => !ROUTING_KEYS.has(key)));
