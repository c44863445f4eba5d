import { waitFor } from '@billing/testing/wait-for';
import { describe, expect, it } from 'vitest';
import { drain } from '../system/drain.ts';
import { ok } from '../system/http.ts';
import { newSignedEvent, postSigned } from '../system/signed-events.ts';
import { newEmail, newTenant } from '../system/tenant.ts';

const PROJECTS = 8;

describe('a customer of the processor that many projects of a team hold', () => {
  it('S34: an event of a megabyte about it reaches each of them as one event, and the service stays up', async () => {
    const tenant = await newTenant();
    const { user, teamPath, callProcessor, gatewayUrl } = tenant;
    const email = newEmail();
    const { id } = await callProcessor('/v1/customers', { email });
    const customers: string[] = [];
    for (let number = 0; number < PROJECTS; number += 1) {
      const { project } = await ok(user.post(`${teamPath}/projects`, { name: `Shop ${number}` }), 201);
      const { customer } = await ok(user.post(`${teamPath}/projects/${project.id}/customers`, { email }), 201);
      expect(customer.processorCustomerId).toBe(id);
      customers.push(`${teamPath}/projects/${project.id}/customers/${customer.id}`);
      // Whoever has the account can make a customer unknown to every project, so that the next one takes it, too.
      await callProcessor(`/v1/customers/${id}`, { 'metadata[projectId]': '' });
    }
    // Until an event says what the processor does, a customer is read there, whatever other events say.
    const current = await callProcessor(`/v1/customers/${id}`);
    await drain(tenant);
    expect((await postSigned(tenant, newSignedEvent('customer.updated', current))).status).toBe(200);
    await drain(tenant);
    const object = { ...current, name: 'Everyone’s', description: 'x'.repeat(900_000) };
    const event = newSignedEvent('customer.updated', object, { created: Math.floor(Date.now() / 1_000) + 120 });
    expect((await postSigned(tenant, event)).status).toBe(200);

    const names = async () => {
      const found = await Promise.all(customers.map(path => ok(user.get(path))));
      return found.map(({ customer }) => customer.name);
    };
    await waitFor(async () => (await names()).every(name => name === 'Everyone’s'), {
      what: 'every project to have the new name',
    });
    const records = await waitFor(
      async () => {
        const { webhookEvents } = await ok(user.get(`${teamPath}/webhook-events?status=processed`));
        const found = webhookEvents.filter((record: { id: string }) => record.id === event.id);
        return found.length > 0 ? found : undefined;
      },
      { what: 'the event to be complete' },
    );
    expect(records).toHaveLength(1);
    expect((await fetch(`${gatewayUrl}/health/ready`)).status).toBe(200);
  });
});
