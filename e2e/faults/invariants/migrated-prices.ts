import type { PriceMigrationFinding, Price, Subscription } from '@billing/client';
import { expect } from 'vitest';
import { mapConcurrently } from '../../system/map-concurrently.ts';
import { listFromProcessor, type Tenant } from '../../system/tenant.ts';

/** What a migration was to do: to these subscriptions, between these prices. */
export interface WantedMigration {
  readonly id: string;
  readonly from: Price;
  readonly to: Price;
  readonly moving: readonly Subscription[];
  /** Those that were canceled, before or meanwhile. */
  readonly canceled: readonly Subscription[];
}

interface ProcessorSchedule {
  readonly id: string;
  readonly status: string;
  readonly subscription: string | null;
  readonly released_subscription: string | null;
  readonly phases: readonly {
    readonly start_date: number;
    readonly items: readonly { readonly price: string; readonly quantity: number }[];
  }[];
}

interface ProcessorInvoice {
  readonly id: string;
  readonly status: string;
  readonly billing_reason: string;
  readonly amount_paid: number;
}

/**
 * Expects at the processor that each subscription that was to move has got one schedule, to the new price at the end of its
 * period, and that none of those that were canceled has one; and that the migration reports just that.
 */
export async function expectScheduledOnce(tenant: Tenant, wanted: WantedMigration): Promise<void> {
  const { billing } = tenant;
  const { id, from, to, moving, canceled } = wanted;
  const findings = await Array.fromAsync(billing.priceMigrations.findings(id));
  const found = new Map(findings.map(one => [one.subscriptionId, one]));
  const schedules = Map.groupBy(
    await listFromProcessor<ProcessorSchedule>(tenant, '/v1/subscription_schedules'),
    it => it.subscription ?? it.released_subscription,
  );
  const schedulesOf = (it: Subscription) => schedules.get(it.processorSubscriptionId) ?? [];

  await mapConcurrently(moving, async one => {
    const { scheduledChange } = await billing.subscriptions.get(one.id);
    const start = (date: string) => Date.parse(date) / 1_000;
    const phase = (price: Price, date: string) => ({
      start_date: start(date),
      items: [expect.objectContaining({ price: price.processorPriceId, quantity: 1 })],
    });
    expect(schedulesOf(one), one.id).toMatchObject([
      { status: 'active', phases: [phase(from, one.currentPeriodStart), phase(to, one.currentPeriodEnd)] },
    ]);
    expect(found.get(one.id), one.id).toMatchObject({ outcome: 'scheduled', effectiveAt: one.currentPeriodEnd });
    expect(scheduledChange, one.id).toMatchObject({
      id: found.get(one.id)?.changeId,
      effectiveAt: one.currentPeriodEnd,
      items: [{ priceId: to.id, quantity: 1 }],
    });
  });
  for (const one of canceled) {
    const made = schedulesOf(one).map(({ status }) => (status === 'active' ? 'active' : 'over'));
    expect(made, one.id).toEqual(found.get(one.id)?.outcome === 'scheduled' ? ['over'] : []);
  }

  const countOf = (outcome: PriceMigrationFinding['outcome']) => findings.filter(one => one.outcome === outcome).length;
  const { status, counts, progress } = await billing.priceMigrations.get(id);
  const all = [...moving, ...canceled];
  expect(findings.map(one => one.subscriptionId).toSorted()).toEqual(all.map(one => one.id).toSorted());
  expect({ status, counts, progress }).toEqual({
    status: 'completed',
    counts: { to_change: 0, scheduled: schedules.size, skipped: countOf('skipped'), failed: 0 },
    progress: { done: all.length, total: all.length },
  });
}

/** Expects that each subscription was billed the new price once, when its period had ended, and the canceled ones nothing more. */
export async function expectBilledOnce(tenant: Tenant, wanted: WantedMigration): Promise<void> {
  const { billing } = tenant;
  const { from, to, moving, canceled } = wanted;
  const readBilled = async ({ id, processorSubscriptionId: subscription }: Subscription) => {
    const invoices = await listFromProcessor<ProcessorInvoice>(tenant, '/v1/invoices', { subscription });
    return {
      shown: await billing.subscriptions.get(id),
      recorded: (await Array.fromAsync(billing.invoices.list({ subscriptionId: id }))).length,
      invoices: invoices.map(it => [it.billing_reason, it.status, it.amount_paid]).toReversed(),
    };
  };
  const first = ['subscription_create', 'paid', from.unitAmount];
  await mapConcurrently(moving, async one => {
    const { shown, recorded, invoices } = await readBilled(one);
    expect(invoices, one.id).toEqual([first, ['subscription_cycle', 'paid', to.unitAmount]]);
    expect(recorded, one.id).toBe(2);
    expect(shown, one.id).toMatchObject({ status: 'active', priceId: to.id, scheduledChange: null });
  });
  await mapConcurrently(canceled, async one => {
    const { shown, invoices } = await readBilled(one);
    expect([shown.status, invoices], one.id).toEqual(['canceled', [first]]);
  });
}
