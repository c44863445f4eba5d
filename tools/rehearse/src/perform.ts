import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { BillingError, type PriceMigration } from '@billing/client';
import { follow, requireCompleted } from '@billing/sync/follow';
import { later } from './duration.rules.ts';
import type { Step } from './rehearsal.ts';
import { advance, POLL_MS, type Stage } from './stage.ts';

type Action = Exclude<Step, { readonly do: 'expect' }>;

/** Nobody watches: the subscriptions are few. */
const UNSEEN = { show: () => undefined, stop: () => undefined };
const SECOND_MS = 1_000;

/**
 * Takes a step at the time `now` of the clock, and returns its time afterwards: a second later, unless the step advances it.
 * So all that came of the step is recorded, as after every advance.
 * @throws BillingError for what the API refuses, unless the step expects it; Error when it does not refuse what it is to
 */
export async function perform(stage: Stage, step: Action, now: string): Promise<string> {
  if (step.do === 'advance') return advance(stage, targetOf(step, now));
  const refused = 'refused' in step ? step.refused : undefined;
  const done = await act(stage, step).then(
    () => true,
    (err: unknown) => {
      if (refused !== undefined && err instanceof BillingError && err.code === refused) return false;
      throw err;
    },
  );
  if (done && refused !== undefined) throw new Error(`Expected the error ${refused}, but the step was taken.`);
  return advance(stage, { to: new Date(Date.parse(now) + SECOND_MS) });
}

function targetOf({ to, until, by }: Extract<Step, { readonly do: 'advance' }>, now: string) {
  if (until !== undefined) return { until };
  return { to: by === undefined ? new Date(to ?? now) : later(new Date(now), by) };
}

async function act(stage: Stage, step: Exclude<Action, { readonly do: 'advance' }>): Promise<unknown> {
  const { client, run, sold } = stage;
  if (step.do === 'migrate') {
    const { do: _, ...prices } = step;
    const migration = { ...prices, mode: 'apply', filter: { metadata: { rehearsal: run } } } as const;
    const { id } = await client.priceMigrations.create(migration);
    const ended = await follow<PriceMigration>(options => client.priceMigrations.get(id, options), UNSEEN);
    return requireCompleted(ended);
  }
  const customerId = stage.customers.get(step.customer) ?? '';
  const subscription = () => soldTo(stage, step.customer);
  switch (step.do) {
    case 'sell': {
      const { do: _, customer: _customer, refused: _refused, ...terms } = step;
      const made = await client.checkout.create({ ...terms, customerId, metadata: { rehearsal: run } });
      return sold.set(customerId, made.subscription.id);
    }
    case 'card':
      return client.customers.setTestCard(customerId, { card: step.card });
    case 'change': {
      const { priceKey, quantity, when } = step;
      return client.subscriptions.change(subscription(), { priceKey, quantity, when });
    }
    case 'cancel':
      return step.when === 'now'
        ? client.subscriptions.cancelNow(subscription(), { openInvoices: step.openInvoices })
        : client.subscriptions.cancelAtPeriodEnd(subscription());
    case 'pause':
      return client.subscriptions.pause(subscription(), { invoices: step.invoices });
    case 'resume':
      return client.subscriptions.unpause(subscription());
    case 'usage':
      return use(stage, customerId, step);
    default:
      return step satisfies never;
  }
}

/** @throws Error when the processor rejects the usage */
async function use({ client }: Stage, customerId: string, { meter, value }: Extract<Step, { readonly do: 'usage' }>) {
  await client.usage.record({ events: [{ id: randomUUID(), customerId, meter, value }] });
  for (;;) {
    const [newest] = (await client.usage.list({ customerId, limit: 1 }).page()).items;
    if (newest?.reason) throw new Error(newest.reason.message);
    if (newest?.status === 'sent') return;
    await pause(POLL_MS);
  }
}

/** @throws Error when nothing was sold to the customer */
function soldTo({ customers, sold }: Stage, name: string): string {
  const id = sold.get(customers.get(name) ?? '');
  if (id === undefined) throw new Error(`Nothing was sold to ${name}.`);
  return id;
}
