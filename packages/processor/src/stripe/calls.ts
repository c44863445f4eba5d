import type { Stripe } from 'stripe';
import { unavailable } from '@billing/contracts/problem';
import { semaphore } from '@billing/messaging/semaphore';
import { problemOfStripe } from '../errors.ts';
import { withRetries } from '../retries.ts';
import { stripeClient, type OnCall } from '../stripe-client.ts';

/** Calls of one team at the same time in a process. Further ones are refused at once, so that a slow account holds up nobody else. */
const MAX_IN_FLIGHT = 32;

/** What the parts of the port work with. */
export interface Calls {
  readonly stripe: Stripe;
  /** Makes calls to the library: limited, retried, with its errors converted to problems. */
  readonly call: <Result>(request: () => Promise<Result>) => Promise<Result>;
}

/** Opens the library with one team's secret key; `baseUrl` replaces Stripe's address. */
export function openCalls(secretKey: string, baseUrl?: string, onCall?: OnCall): Calls {
  const refusal = () => unavailable('Too many calls to the payment processor are under way for this team.', 5);
  const limit = semaphore(MAX_IN_FLIGHT, { maxWaiting: 0, refusal });
  const call: Calls['call'] = request =>
    limit(async () => {
      try {
        return await withRetries(request);
      } catch (err) {
        throw problemOfStripe(err);
      }
    });
  return { stripe: stripeClient(secretKey, baseUrl, onCall), call };
}

/** The options of a write. */
export const write = (idempotencyKey: string) => ({ idempotencyKey });

/** Returns the id in a reference, which may be expanded to the object. */
export function idOf(reference: string | { readonly id: string } | null): string | null {
  return typeof reference === 'string' ? reference : (reference?.id ?? null);
}

/** Returns the fields that have a value: the library sends an `undefined` field as empty. */
export function given<Fields extends Record<string, unknown>>(fields: Fields) {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }; // undefined ones are gone
}

/** Returns a time in whole seconds since 1970. */
export const inSeconds = (time: Date): number => Math.floor(time.getTime() / 1_000);

/** Reads all pages of a list. */
export async function listAll<Item>(list: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of list) items.push(item);
  return items;
}
