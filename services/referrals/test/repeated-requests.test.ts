import { afterAll, beforeAll, expect, it } from 'vitest';
import { openProject, startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

it('makes one code and one referral for each key, also when the process died before it answered', async () => {
  const project = openProject(service);
  await project.configure();
  const customerId = project.newCustomer().id;
  const refereeCustomerId = project.newCustomer().id;

  const first = await project.ask('POST', '/codes', { customerId }, 'k1');
  await loseAnswers();
  expect(await project.ask('POST', '/codes', { customerId }, 'k1')).toEqual(first);

  const { code } = first.body.code;
  const applied = await project.ask('POST', '/apply', { code, refereeCustomerId }, 'k2');
  expect(applied.status).toBe(201);
  await loseAnswers();
  expect(await project.ask('POST', '/apply', { code, refereeCustomerId }, 'k2')).toEqual(applied);
  const { body } = await project.ask('GET', `/codes/${code}`);
  expect(body.referrals).toHaveLength(1);
});

/** As if the process had died after its work was committed, and its claims had run out. */
async function loseAnswers(): Promise<void> {
  await service.database.em
    .fork()
    .execute(`update idempotent_requests set status = null, body = null, claimed_until = now() - interval '1 second'`);
}
