import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { isRefused } from '../../src/errors.ts';
import { stripeClient } from '../../src/stripe-client.ts';
import type { Cases } from './cases.ts';

const MINUTE_MS = 60_000;
/** The processor counts usage some time after it has taken it. */
const SOON = { timeout: 60_000, interval: 500 };

/** Tests meters and what they count. */
export function usageCases({ processor, standIn, key, createCustomer, createPrice, monthly }: Cases): void {
  const raw = () => stripeClient(standIn().secretKey, standIn().baseUrl);
  /** Creates a metered price, and with it its meter. */
  const createMetered = async (meter = `contract_${randomUUID()}`) => {
    const price = await createPrice(monthly, { meter });
    const { meterId } = price;
    if (meterId === null) throw new Error('The price has no meter.');
    onTestFinished(async () => {
      const { status } = await raw().billing.meters.retrieve(meterId);
      if (status === 'active') await raw().billing.meters.deactivate(meterId);
    });
    return { price, meter, meterId };
  };
  /** The last whole minutes, with the present one. */
  const lately = () => {
    const end = Math.ceil((Date.now() + 1) / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
    return { start: new Date(end - 10 * MINUTE_MS), end: new Date(end) };
  };

  it('is billed by a price whose meter is found or created', async () => {
    const { price, meter, meterId } = await createMetered();
    expect(price).toMatchObject({ metered: true, type: 'recurring', unitAmount: 2_999 });
    expect(await processor().findMeter(meter)).toEqual({ id: meterId });
    expect(await processor().findEventName(meterId)).toBe(meter);
    expect((await createPrice(monthly, { meter })).meterId).toBe(meterId);
    expect((await createPrice(monthly)).meterId).toBeNull();
    expect(await raw().billing.meters.retrieve(meterId)).toMatchObject({
      default_aggregation: { formula: 'sum' },
      customer_mapping: { event_payload_key: 'stripe_customer_id', type: 'by_id' },
      value_settings: { event_payload_key: 'value' },
    });
  });

  it('is of one meter when several are created at once', async () => {
    const meter = `contract_${randomUUID()}`;
    const created = await Promise.all(Array.from({ length: 3 }, () => createMetered(meter)));
    expect(new Set(created.map(({ meterId }) => meterId)).size).toBe(1);
  });

  it('is counted once for each identifier, whatever the idempotency key', async () => {
    const { meter, meterId } = await createMetered();
    const { id: customerId } = await createCustomer();
    const usage = { meter, customerId, at: new Date() };
    const first = { ...usage, identifier: randomUUID(), value: 30 };
    const sameKey = key();
    for (const repeated of [sameKey, sameKey, key()]) await processor().sendUsage(first, repeated);
    await processor().sendUsage({ ...usage, identifier: randomUUID(), value: 12 }, key());
    const sum = async (window?: 'hour') => {
      const summaries = await processor().sumUpUsage(meterId, customerId, { ...lately(), window });
      return summaries.reduce((all, { value }) => all + value, 0);
    };
    await expect.poll(() => sum(), SOON).toBe(42);
    const other = await createCustomer();
    expect(await processor().sumUpUsage(meterId, other.id, lately())).toMatchObject([{ value: 0 }]);
    await expect(sum('hour')).rejects.toSatisfy(isRefused);
  });

  it('is refused of an unknown meter, and of another time than the last 35 days', async () => {
    const { meter } = await createMetered();
    const { id: customerId } = await createCustomer();
    const usage = { meter, identifier: randomUUID(), customerId, value: 1, at: new Date() };
    for (const wrong of [
      { meter: `contract_${randomUUID()}` },
      { at: new Date(Date.now() - 36 * 1_440 * MINUTE_MS) },
      { at: new Date(Date.now() + 10 * MINUTE_MS) },
    ])
      await expect(processor().sendUsage({ ...usage, ...wrong }, key())).rejects.toSatisfy(isRefused);
    expect(await processor().findMeter(`contract_${randomUUID()}`)).toBeNull();
  });

  it('has a list of what is refused later', async () => {
    expect(await processor().listUsageErrors(new Date())).toEqual(expect.any(Array));
  });
}
