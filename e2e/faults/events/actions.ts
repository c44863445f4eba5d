import { BillingError } from '@billing/client';
import type { Action } from './action.ts';
import { CATALOG_ACTIONS } from './catalog-actions.ts';
import { CUSTOMER_ACTIONS } from './customer-actions.ts';
import { PAYMENT_ACTIONS } from './payment-actions.ts';
import { STRANGER_ACTIONS } from './stranger-actions.ts';
import { SUBSCRIPTION_ACTIONS } from './subscription-actions.ts';

/** Every action that creates Stripe events: of the tenant, of the buyer, of time, at the Stripe dashboard and of other products. */
const ACTIONS = {
  ...SUBSCRIPTION_ACTIONS,
  ...PAYMENT_ACTIONS,
  ...CUSTOMER_ACTIONS,
  ...CATALOG_ACTIONS,
  ...STRANGER_ACTIONS,
  'advance clock': ({ tenant }, _, number) => tenant.processor.advanceClock(1 + (number % 3)),
} as const satisfies Record<string, Action>;

export type ActionName = keyof typeof ACTIONS;

/** Actions that need no earlier one. */
export const FIRST_ACTIONS: readonly ActionName[] = [
  'subscribe',
  'start a trial',
  'sell to the saved card',
  'sell by invoice',
  'sell a trial without a page',
  'subscribe at dashboard',
  'subscribe in another currency',
];

/** Returns the actions that a comma-separated list names, or all of them. @throws Error when it names an unknown one */
export function chosenActions(list: string | undefined): ActionName[] {
  const all = Object.keys(ACTIONS) as ActionName[]; // Object.keys returns string[]
  const names = list?.split(',') ?? all;
  return names.map(name => {
    const found = all.find(it => it === name);
    if (!found) throw new Error(`There is no action ${name}, only ${all.join(', ')}.`);
    return found;
  });
}

/** Runs an action. An action that the current state does not allow is skipped, such as renewing without a subscription. */
export async function attempt(name: ActionName, ...args: Parameters<Action>): Promise<void> {
  const action: Action = ACTIONS[name];
  await action(...args).catch((error: unknown) => {
    if (!isRejection(error)) throw error;
  });
}

/** The API reports a request that the processor rejects as 502 `processor_error`. */
function isRejection(error: unknown): boolean {
  if (error instanceof BillingError) return error.status < 500 || error.code === 'processor_error';
  return error instanceof Error && /: 40[024] /.test(error.message);
}
