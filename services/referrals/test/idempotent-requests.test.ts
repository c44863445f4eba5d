import { afterAll, beforeAll, expect, it } from 'vitest';
import { openProject } from './project.ts';
import { startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

it('creates one code and one referral per key, also after a crash', async () => {
  const project = openProject(service);
  await project.configure();
  const customerId = project.newCustomer().id;
  const refereeCustomerId = project.newCustomer().id;

  const first = await project.request('POST', '/codes', { customerId }, 'k1');
  await loseResponses();
  expect(await project.request('POST', '/codes', { customerId }, 'k1')).toEqual(first);

  const { code } = first.body.code;
  const applied = await project.request('POST', '/apply', { code, refereeCustomerId }, 'k2');
  expect(applied.status).toBe(201);
  await loseResponses();
  expect(await project.request('POST', '/apply', { code, refereeCustomerId }, 'k2')).toEqual(applied);
  const { body } = await project.request('GET', `/codes/${code}`);
  expect(body.referrals).toHaveLength(1);
});

/** Simulates a process that died after its commit and before it stored the response, and an expired lease. */
async function loseResponses(): Promise<void> {
  await service.em
    .fork()
    .execute(`update idempotent_requests set status = null, body = null, due_at = now() - interval '1 second'`);
}
