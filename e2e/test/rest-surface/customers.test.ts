import { beforeAll, expect, it } from 'vitest';
import { errorOf, ok } from '../../system/http.ts';
import { newEmail, newTenant, type Tenant } from '../../system/tenant.ts';

let tenant: Tenant;
beforeAll(async () => {
  tenant = await newTenant();
});

it('links a new customer to an existing one at the processor with its e-mail', async () => {
  const { billing, callProcessor, projectId } = tenant;
  const createAtProcessor = (email: string, metadata: Record<string, string> = {}) =>
    callProcessor('/v1/customers', {
      email,
      ...Object.fromEntries(Object.entries(metadata).map(([name, value]) => [`metadata[${name}]`, value])),
    });

  const [contested, unclaimed, foreign] = [newEmail(), newEmail(), newEmail()];
  const other = 'proj_00000000000000000000';
  await createAtProcessor(contested, { projectId: other });
  await createAtProcessor(contested);
  const own = await createAtProcessor(contested, { projectId });
  await createAtProcessor(unclaimed, { projectId: other });
  const free = await createAtProcessor(unclaimed);
  const theirs = await createAtProcessor(foreign, { projectId: other });

  expect((await billing.customers.create({ email: contested })).processorCustomerId).toBe(own.id);
  expect((await billing.customers.create({ email: unclaimed })).processorCustomerId).toBe(free.id);
  expect((await billing.customers.create({ email: foreign })).processorCustomerId).toBe(theirs.id);
  expect((await callProcessor(`/v1/customers/${free.id}`)).metadata).toMatchObject({ projectId });
  expect((await callProcessor(`/v1/customers/${theirs.id}`)).metadata).toMatchObject({ projectId: other });
});

it('keeps an e-mail unique in its project, ignoring case and whitespace', async () => {
  const { billing } = tenant;
  const email = newEmail();
  const customer = await billing.customers.create({ email: `  ${email.toUpperCase()} `, name: 'Ada' });
  expect(customer).toMatchObject({ email, name: 'Ada', metadata: {} });
  const taken = { status: 409, code: 'customer_email_taken' };
  expect(await errorOf(billing.customers.create({ email }))).toMatchObject(taken);
  const second = await billing.customers.create({ email: newEmail() });
  expect(await errorOf(billing.customers.update(second.id, { email: email.toUpperCase() }))).toMatchObject(taken);
});

it('creates one customer from 20 concurrent requests with one e-mail', async () => {
  const { api, P, processor } = tenant;
  const email = newEmail();
  const before = (await processor.ledger()).objects.length;
  const spellings = [email, email.toUpperCase()];
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, index) => api.post(`${P}/customers`, { email: spellings[index % 2] })),
  );
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
  const rejected = responses.filter(({ status, body }) => status === 409 && body.error.code === 'customer_email_taken');
  expect(rejected).toHaveLength(19);
  expect((await processor.ledger()).objects.slice(before).map(({ object }) => object)).toEqual(['customer']);
});

it('updates both sides, and unsets removed metadata keys at the processor', async () => {
  const { billing, callProcessor, projectId, teamId } = tenant;
  const created = await billing.customers.create({ email: newEmail(), metadata: { plan: 'a', seat: '1' } });
  const email = newEmail();
  const updated = await billing.customers.update(created.id, { email, name: 'Ada', metadata: { seat: '2' } });
  expect(updated).toMatchObject({ id: created.id, email, name: 'Ada', metadata: { seat: '2' } });
  expect(Date.parse(updated.updatedAt)).toBeGreaterThanOrEqual(Date.parse(created.updatedAt));
  expect(await billing.customers.get(created.id)).toEqual(updated);
  const atProcessor = await callProcessor(`/v1/customers/${created.processorCustomerId}`);
  expect(atProcessor).toMatchObject({ email, name: 'Ada', metadata: { seat: '2', projectId, teamId } });
  expect(atProcessor.metadata).not.toHaveProperty('plan');
});

it('deletes a customer in billing only, and frees the e-mail', async () => {
  const { api, P, billing, callProcessor } = tenant;
  const email = newEmail();
  const { id, processorCustomerId } = await billing.customers.create({ email });
  expect(await ok(api.delete(`${P}/customers/${id}`))).toEqual({ success: true });
  expect(await errorOf(billing.customers.get(id))).toMatchObject({ status: 404, code: 'customer_not_found' });
  expect(await callProcessor(`/v1/customers/${processorCustomerId}`)).not.toHaveProperty('deleted');
  const again = await billing.customers.create({ email });
  expect(again).toMatchObject({ processorCustomerId });
  expect(again.id).not.toBe(id);
});
