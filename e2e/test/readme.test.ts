import { verifyWebhook, type ReceivedEvent } from '@billing/client';
import { startReceiver } from '@billing/testing/receiver';
import { waitFor } from '@billing/testing/wait-for';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';
import { runReadmeSession, runReadmeSync } from '../system/readme-session.ts';
import { newTenant } from '../system/tenant.ts';
import { newAccount } from './syncs/account.ts';

it('runs the curl session of the README as printed', async () => {
  const printed = await runReadmeSession(inject('gatewayUrl'));
  expect(printed).toContain('"connected":true');
  expect(printed).toContain('the page leads to https://example.com/done?s=cs_test_');
  expect(printed).toContain('"status":"active"');
  expect(printed).toMatch(/^applied\n\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z\nnull$/m);
  expect(printed).toMatch(/^paid\nii_\w+\npaid\nactive\nopen$/m);
  expect(printed).toContain(`${inject('gatewayUrl')}/portal/`);
});

it('takes an account over as the README says', async () => {
  const tenant = await newTenant();
  await newAccount(tenant, 2, { app: 'shop' });
  const printed = await runReadmeSync(tenant);
  expect(printed).toMatch(/^customer +0 +2 .* 0$/m);
  expect(printed).toMatch(/^customer +0 +2 .* 2$/m);
  expect(await Array.fromAsync(tenant.billing.subscriptions.list())).toHaveLength(2);
});

it('forwards events to a local address, signed with the secret that it prints', async () => {
  const { secret: key, teamId, projectId, gatewayUrl, billing } = await newTenant();
  await billing.products.create({ name: 'Before' });
  await waitFor(async () => (await billing.events.list().page()).items.length, { what: 'its event' });
  const options = { cwd: join(import.meta.dirname, '../..'), env: { ...process.env, BILLING_API_KEY: key } };
  const command = ['run', '--silent', 'webhooks:listen', '--'];
  const { stdout: secret } = await promisify(execFile)('npm', [...command, '--print-secret'], options);
  const received: ReceivedEvent[] = [];
  await using receiver = await startReceiver(async ({ headers, body }) => {
    received.push(await verifyWebhook(body, headers, secret.trim()));
    return 200;
  });
  const scope = ['--team', teamId, '--project', projectId, '--url', gatewayUrl];
  const forward = ['--forward', `${receiver.url.replace('127.0.0.1', 'localhost')}?x=1`];
  const listener = spawn('npm', [...command, ...scope, ...forward], { ...options, detached: true });
  try {
    await once(listener.stderr, 'data');
    const { id } = await billing.products.create({ name: 'After' });
    await waitFor(() => received.length, { what: 'the event' });
    expect(received.map(({ type, object }) => [type, object.id])).toEqual([['product.created', id]]);
  } finally {
    // npm's own process leaves those that it started.
    process.kill(-Number(listener.pid));
  }
});
