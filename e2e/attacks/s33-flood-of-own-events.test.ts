import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '@billing/testing/wait-for';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { drain } from '../system/drain.ts';
import { newSignedEvent, postSigned } from '../system/signed-events.ts';
import { newEmail, newTenant, type Tenant } from '../system/tenant.ts';

const MIB = 1_048_576;
/** Posted before the other team's first event. */
const FLOOD = 500;

/** A tenant with a customer, whose events it signs itself. */
async function newSender() {
  const tenant = await newTenant();
  const customer = await tenant.billing.customers.create({ email: newEmail(), name: 'Grace' });
  const object = await tenant.callProcessor(`/v1/customers/${customer.processorCustomerId}`);
  const eventNaming = (name: string, changes: object = {}) =>
    newSignedEvent('customer.updated', { ...object, name, ...changes });
  // Until its own event has come, the customer is read at the processor, whatever other events say.
  await drain(tenant);
  const isNamed = async (name: string) => (await tenant.billing.customers.get(customer.id)).name === name;
  return { tenant, eventNaming, isNamed };
}

let flooding: Awaited<ReturnType<typeof newSender>>;
let other: Awaited<ReturnType<typeof newSender>>;
beforeAll(async () => {
  [flooding, other] = [await newSender(), await newSender()];
});

/** Posts events one after the other, some at a time, until there is none left; returns the statuses. */
async function post(tenant: Tenant, next: () => object | undefined): Promise<Set<number>> {
  const statuses = new Set<number>();
  const postAll = async () => {
    for (let event = next(); event; event = next()) statuses.add((await postSigned(tenant, event)).status);
  };
  await Promise.all(Array.from({ length: 32 }, postAll));
  return statuses;
}

/** Posts an event of the other team, newer than all before, and waits until it is applied. */
async function rename(name: string): Promise<void> {
  const event = other.eventNaming(name);
  expect(await postSigned(other.tenant, { ...event, created: (newest += 1) })).toMatchObject({ status: 200 });
  await waitFor(() => other.isNamed(name), { what: 'the event to be applied' });
}
let newest = Math.floor(Date.now() / 1_000) + 60;

describe('a tenant that signs a flood of events itself', () => {
  it('S33: a team posts its own signed events without end, and another team’s events are applied meanwhile', async () => {
    const { tenant, eventNaming } = flooding;
    let posted = 0;
    let isOver = false;
    const posting = post(tenant, () => (isOver ? undefined : ((posted += 1), eventNaming('Flood'))));
    try {
      await waitFor(() => posted > FLOOD, { what: 'the flood' });
      for (const name of ['Katherine', 'Margaret', 'Radia']) await rename(name);
    } finally {
      isOver = true;
    }
    expect([...(await posting)].filter(status => status !== 200 && status !== 429)).toEqual([]);
  });

  it('S33: a team posts events of a megabyte, and they are applied while nothing of their bulk is on the event bus', async () => {
    const { tenant, eventNaming, isNamed } = flooding;
    const count = 12;
    const bulk = randomUUID();
    const events = Array.from({ length: count }, (_, index) => {
      const event = eventNaming(`Large ${index}`, { description: bulk.repeat((0.95 * MIB) / bulk.length) });
      return { ...event, created: event.created + 100 + index };
    });
    expect(await post(tenant, () => events.shift())).toEqual(new Set([200]));
    await waitFor(() => isNamed(`Large ${count - 1}`), { what: 'the newest one to be applied' });
    expect(await isOnBus(`Large ${count - 1}`)).toBe(true);
    expect(await isOnBus(bulk)).toBe(false);
  });
});

/** Whether a text stands in any message that the message server stores. */
async function isOnBus(text: string): Promise<boolean> {
  const files = await readdir(join(inject('dataDir'), 'nats'), { recursive: true, withFileTypes: true });
  for (const file of files) {
    if (!file.isFile() || !file.name.endsWith('.blk')) continue;
    // The server deletes a file when all of its messages are gone.
    const bytes = await readFile(join(file.parentPath, file.name)).catch(() => null);
    if (bytes?.includes(text)) return true;
  }
  return false;
}
