import { beforeAll, expect, it } from 'vitest';
import { ok } from '../../system/http.ts';
import { refusal } from '../../system/refusal.ts';
import { newEmail, newTenant, type Tenant } from '../../system/tenant.ts';

let tenant: Tenant;
beforeAll(async () => {
  tenant = await newTenant();
});

it('links a new customer to the one at the processor that has the e-mail, the project’s own first', async () => {
  const { billing, askProcessor, projectId } = tenant;
  const make = (email: string, metadata: Record<string, string> = {}) =>
    askProcessor('/v1/customers', {
      email,
      ...Object.fromEntries(Object.entries(metadata).map(([name, value]) => [`metadata[${name}]`, value])),
    });

  const [contested, unclaimed, foreign] = [newEmail(), newEmail(), newEmail()];
  const other = 'proj_00000000000000000000';
  await make(contested, { projectId: other });
  await make(contested);
  const own = await make(contested, { projectId });
  await make(unclaimed, { projectId: other });
  const free = await make(unclaimed);
  const theirs = await make(foreign, { projectId: other });

  expect((await billing.customers.create({ email: contested })).processorCustomerId).toBe(own.id);
  expect((await billing.customers.create({ email: unclaimed })).processorCustomerId).toBe(free.id);
  expect((await billing.customers.create({ email: foreign })).processorCustomerId).toBe(theirs.id);
  expect((await askProcessor(`/v1/customers/${free.id}`)).metadata).toMatchObject({ projectId });
  expect((await askProcessor(`/v1/customers/${theirs.id}`)).metadata).toMatchObject({ projectId: other });
});

it('keeps an e-mail unique in its project, whatever its case and the space around it', async () => {
  const { billing } = tenant;
  const email = newEmail();
  const customer = await billing.customers.create({ email: `  ${email.toUpperCase()} `, name: 'Ada' });
  expect(customer).toMatchObject({ email, name: 'Ada', metadata: {} });
  const taken = { status: 409, code: 'customer_email_taken' };
  expect(await refusal(billing.customers.create({ email }))).toMatchObject(taken);
  const second = await billing.customers.create({ email: newEmail() });
  expect(await refusal(billing.customers.update(second.id, { email: email.toUpperCase() }))).toMatchObject(taken);
});

it('makes one customer of 20 simultaneous creations with one e-mail', async () => {
  const { api, P, processor } = tenant;
  const email = newEmail();
  const before = (await processor.ledger()).objects.length;
  const spellings = [email, email.toUpperCase()];
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => api.post(`${P}/customers`, { email: spellings[index % 2] })),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  const refused = answers.filter(({ status, body }) => status === 409 && body.error.code === 'customer_email_taken');
  expect(refused).toHaveLength(19);
  expect((await processor.ledger()).objects.slice(before).map(({ object }) => object)).toEqual(['customer']);
});

it('updates both sides; metadata is replaced and its vanished keys are unset at the processor', async () => {
  const { billing, askProcessor, projectId, teamId } = tenant;
  const created = await billing.customers.create({ email: newEmail(), metadata: { plan: 'a', seat: '1' } });
  const email = newEmail();
  const updated = await billing.customers.update(created.id, { email, name: 'Ada', metadata: { seat: '2' } });
  expect(updated).toMatchObject({ id: created.id, email, name: 'Ada', metadata: { seat: '2' } });
  expect(Date.parse(updated.updatedAt)).toBeGreaterThanOrEqual(Date.parse(created.updatedAt));
  expect(await billing.customers.get(created.id)).toEqual(updated);
  const theirs = await askProcessor(`/v1/customers/${created.processorCustomerId}`);
  expect(theirs).toMatchObject({ email, name: 'Ada', metadata: { seat: '2', projectId, teamId } });
  expect(theirs.metadata).not.toHaveProperty('plan');
});

it('removes a customer here only, and frees the e-mail', async () => {
  const { api, P, billing, askProcessor } = tenant;
  const email = newEmail();
  const { id, processorCustomerId } = await billing.customers.create({ email });
  expect(await ok(api.delete(`${P}/customers/${id}`))).toEqual({ success: true });
  expect(await refusal(billing.customers.get(id))).toMatchObject({ status: 404, code: 'customer_not_found' });
  expect(await askProcessor(`/v1/customers/${processorCustomerId}`)).not.toHaveProperty('deleted');
  const again = await billing.customers.create({ email });
  expect(again).toMatchObject({ processorCustomerId });
  expect(again.id).not.toBe(id);
});
