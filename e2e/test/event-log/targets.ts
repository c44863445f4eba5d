import type { ApiResponse } from '../../system/http.ts';
import { idOf, LISTS, type Kind, type Shown, type World } from './world.ts';

/** Something that a tenant, a customer, or somebody at the processor does; `n` chooses what it is done to. */
export type Action = (world: World, n: number) => Promise<unknown>;

/** Chooses an object that the API lists; the newest is the first. */
export async function pick(
  world: World,
  kind: Kind,
  n: number,
  wanted: Shown = {},
): Promise<Shown & { readonly id: string }> {
  const all = (await world.list(kind)).filter(it =>
    Object.entries(wanted).every(([name, value]) => it[name] === value),
  );
  const found = all[n % all.length];
  if (!found) throw new NothingThere();
  return found as Shown & { readonly id: string }; // the response has its schema
}
/** The same at the processor. */
export async function pickThere(world: World, path: string, n: number, filter = {}): Promise<string> {
  const all = await world.fromProcessor(path, filter);
  const found = all[n % all.length];
  if (!found) throw new NothingThere();
  return found.id;
}
/** There is nothing yet that it could be done to. */
export class NothingThere extends Error {}

/** A request may be refused, here or by the processor; it may not fail. */
export async function allowed(requested: Promise<ApiResponse>): Promise<ApiResponse> {
  const response = await requested;
  const isRefused = response.body?.error?.code === 'processor_error';
  if (response.status >= 500 && !isRefused) throw new Error(`${response.status} ${JSON.stringify(response.body)}`);
  return response;
}

/** Holds webhooks of some types. */
export const holdOnly =
  (types: string[]): Action =>
  ({ tenant }) =>
    tenant.processor.setDeliveryRules({ hold: true, types });
/** A request about an object of a kind, or about what is below it. */
export const byApi =
  (kind: Kind, method: 'patch' | 'post' | 'delete', body?: (n: number) => object, below = ''): Action =>
  async (world, n) => {
    const { api, P } = world;
    const [collection] = LISTS[kind][0].split('?', 1);
    const at = `${P}/${collection}/${idOf(kind, await pick(world, kind, n))}${below}`;
    return allowed(method === 'delete' ? api.delete(at) : api[method](at, body?.(n) ?? {}));
  };
/** A change in the processor's dashboard; without a form it deletes. */
export const atProcessor =
  (collection: string, form?: (n: number) => Readonly<Record<string, string>>): Action =>
  async (world, n) => {
    const path = `/v1/${collection}/${await pickThere(world, collection, n)}`;
    return world.tenant.callProcessor(path, form?.(n), form ? 'POST' : 'DELETE');
  };
/** What the processor does to one of the account's subscriptions. */
export const ofSubscription =
  (change: (processor: World['tenant']['processor'], id: string) => Promise<unknown>): Action =>
  async (world, n) =>
    change(world.tenant.processor, await pickThere(world, 'subscriptions', n, { status: 'all' }));
