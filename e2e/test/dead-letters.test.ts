import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { waitFor } from '@billing/testing/wait-for';
import { expect, inject, it } from 'vitest';
import { deadLetterOf, failEvent, newDeadLetter } from '../system/failed-events.ts';
import { ok } from '../system/http.ts';
import { newTenant } from '../system/tenant.ts';

const statusOf = async ({ user, P }: Awaited<ReturnType<typeof newTenant>>, eventId: string) => {
  const { webhookEvents } = await ok(user.get(`${P}/webhook-events?limit=100`));
  return webhookEvents.find(({ id }: { readonly id: string }) => id === eventId);
};

it('takes a webhook event that failed back to processed when its dead letter is retried after the fault', async () => {
  const tenant = await newTenant();
  const { user, teamPath, billing, callProcessor } = tenant;
  const product = `prod_${randomBytes(7).toString('hex')}`;
  // An object that can't be read, and that the processor does not have either.
  const eventId = await failEvent(tenant, 'product.updated', { id: product, object: 'product' });
  const letter = await deadLetterOf(tenant, eventId);
  expect(letter).toMatchObject({ service: 'catalog', consumer: 'catalog-products', status: 'failed', attempts: 1 });
  expect(letter.error).toContain('cannot be read');

  // While the fault is there, a retry is a dead letter again.
  await ok(user.post(`${teamPath}/dead-letters/${letter.id}/retry`), 202);
  const failedAgain = async () => {
    const { deadLetter } = await ok(user.get(`${teamPath}/dead-letters/${letter.id}`));
    return deadLetter.status === 'failed' && deadLetter.attempts === 2;
  };
  await waitFor(failedAgain, { what: 'the retry to fail' });
  expect(await statusOf(tenant, eventId)).toMatchObject({ status: 'failed' });

  const { teamId, projectId } = tenant;
  await callProcessor('/v1/products', {
    id: product,
    name: 'Mended',
    'metadata[teamId]': teamId,
    'metadata[projectId]': projectId,
  });
  expect(await ok(user.post(`${teamPath}/dead-letters/retry`, { service: 'catalog' }), 202)).toEqual({ retried: 1 });
  const isProcessed = async () => (await statusOf(tenant, eventId))?.status === 'processed';
  await waitFor(isProcessed, { what: 'the event to be processed' });
  expect(await statusOf(tenant, eventId)).toMatchObject({ error: null, attempts: 3 });
  expect((await user.get(`${teamPath}/dead-letters/${letter.id}`)).status).toBe(404);
  expect((await ok(user.get(`${teamPath}/dead-letters`))).pagination.total).toBe(0);
  expect((await billing.products.list().page()).items.map(({ name }) => name)).toContain('Mended');

  const { webhookStats } = await waitFor(
    async () => {
      const metrics = await billing.analytics.get();
      return metrics.webhookStats.failed === 0 ? metrics : undefined;
    },
    { what: 'the metrics' },
  );
  expect(webhookStats).toMatchObject({ failed: 0 });
});

it('is retried by the operator’s command on the system of the data folder', async () => {
  const tenant = await newTenant();
  const id = await newDeadLetter(tenant);
  const main = join(import.meta.dirname, '../../tools/dead-letters/src/main.ts');
  const run = async (...args: string[]) => {
    const env = { ...process.env, BILLING_DATA_DIR: inject('dataDir') };
    const { stdout } = await promisify(execFile)(process.execPath, [main, ...args, '--json'], { env });
    return JSON.parse(stdout);
  };
  expect(await run('list', '--team', tenant.teamId)).toMatchObject({ deadLetters: [{ id }], total: 1 });
  expect(await run('retry', '--id', id)).toEqual({ count: 1 });
  const { user, teamPath } = tenant;
  const hasFailedAgain = async () => {
    const { deadLetter } = await ok(user.get(`${teamPath}/dead-letters/${id}`));
    return deadLetter.status === 'failed' && deadLetter.attempts === 2;
  };
  await waitFor(hasFailedAgain, { what: 'the retry to fail' });
  expect(await run('drop', '--team', tenant.teamId, '--yes')).toEqual({ count: 1 });
  const log = async () =>
    (await ok(user.get(`${teamPath}/audit-log`))).entries.map(
      ({ action, actor }: { readonly action: string; readonly actor: { readonly type: string } }) => [
        action,
        actor.type,
      ],
    );
  await expect.poll(log).toEqual(
    expect.arrayContaining([
      ['retryDeadLetters', 'operator'],
      ['dropDeadLetters', 'operator'],
    ]),
  );
});
