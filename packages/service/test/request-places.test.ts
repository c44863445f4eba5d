import { ProjectId, TeamId } from '@billing/contracts/ids';
import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { startTestService } from '../src/testing/start-test-service.ts';
import { counterService } from './counter-service.ts';

const someone = () => ({ teamId: TeamId.create(), projectId: ProjectId.create() });

it('S87: serves another team while one has more slow reads than places', async () => {
  const slow = Promise.withResolvers<void>();
  let reading = 0;
  let isSlow = true;
  const onRequest = async () => {
    reading += 1;
    if (isSlow) await slow.promise;
  };
  await using service = await startTestService(counterService({ onRequest }));
  const [noisy, quiet] = [someone(), someone()];
  const read = (of = noisy) => service.call('GET', '/api/greeting', { of });
  const reads = Array.from({ length: 110 }, () => read());
  await waitFor(() => reading === 2 && service.places.reads.count().waiting === 100, { what: 'reads to wait' });
  isSlow = false;
  expect((await read(quiet)).status).toBe(200);
  expect(reading).toBe(3);
  expect(await service.call('POST', '/api/greeting', { body: {}, of: noisy })).toMatchObject({ status: 200 });
  slow.resolve();
  const responses = await Promise.all(reads);
  const refused = responses.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(8);
  expect(refused[0]).toMatchObject({ headers: { 'retry-after': '2' }, body: { error: { code: 'rate_limited' } } });
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(102);
  expect(service.places.reads.count()).toEqual({ taken: 0, waiting: 0 });
});

it('S87: reads on connections of their own, each statement for five seconds at most', async () => {
  await using service = await startTestService(counterService());
  const limitOf = async (method: 'GET' | 'POST') =>
    (await service.call(method, '/api/statement-limit', method === 'POST' ? { body: {} } : {})).body;
  expect(await limitOf('GET')).toEqual({ statement_timeout: '5s' });
  expect(await limitOf('POST')).toEqual({ statement_timeout: '10s' });
});

it('gives the place back when a handler fails', async () => {
  await using service = await startTestService(
    counterService({ onRequest: () => Promise.reject(new Error('planted')) }),
  );
  for (let times = 0; times < 3; times += 1)
    expect(await service.call('GET', '/api/greeting')).toMatchObject({ status: 500 });
  expect(service.places.reads.count()).toEqual({ taken: 0, waiting: 0 });
});
