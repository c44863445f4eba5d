import { CountStoppedTax } from '@billing/contracts/rpc/accounts';
import { TeamId } from '@billing/contracts/ids';
import type { HealthCheckName, ProcessorHealth } from '@billing/contracts/resources/processor-health';
import { signatureOf } from '@billing/testing/signed-webhooks';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newCredentials, PUBLIC_URL, startWebhooks, type WebhooksService } from './start-webhooks.ts';
import { customerUpdated } from './stripe-events.ts';

let service: WebhooksService;
beforeAll(async () => {
  service = await startWebhooks({ reconciler: false });
});
afterAll(() => service[Symbol.asyncDispose]());

/** A team that connected with its secret key alone. */
async function newTeam() {
  const teamId = TeamId.create();
  const { secretKey } = newCredentials();
  await service.connect(teamId, { secretKey });
  const projectId = service.newProject(teamId);
  const [endpoint] = (await service.stripeOf({ secretKey }).webhookEndpoints.list()).data;
  if (!endpoint) throw new Error('The connection made an endpoint.');
  return { teamId, projectId, secretKey, endpoint, stripe: service.stripeOf({ secretKey }) };
}

async function healthOf(teamId: TeamId, from: Pick<WebhooksService, 'call'> = service): Promise<ProcessorHealth> {
  const as = service.identity.asUser({ teamId });
  const { status, body } = await from.call('GET', `/api/service/teams/${teamId}/processor/health`, { as });
  expect(status).toBe(200);
  return body as ProcessorHealth; // the API's shape
}

const checkOf = (health: ProcessorHealth, name: HealthCheckName) => health.checks.find(check => check.name === name);
const named = (...texts: string[]) => texts.map(text => expect.stringContaining(text));

describe('the health of a connection', () => {
  it('has nothing against a new one', async () => {
    const health = await healthOf((await newTeam()).teamId);
    expect(health.status).toBe('ok');
    for (const name of ['key', 'endpoint', 'storage', 'clock'] as const)
      expect(checkOf(health, name)).toMatchObject({ status: 'ok', fix: null });
    for (const name of ['signatures', 'events', 'drift'] as const)
      expect(checkOf(health, name)).toMatchObject({ status: 'unknown' });
  });

  it('is refused without a connection', async () => {
    const teamId = TeamId.create();
    const as = service.identity.asUser({ teamId });
    const { status, body } = await service.call('GET', `/api/service/teams/${teamId}/processor/health`, { as });
    expect([status, body.error.code]).toEqual([409, 'processor_not_connected']);
  });

  it('names the permission that a restricted key lacks', async () => {
    const { teamId, secretKey, endpoint } = await newTeam();
    const restricted = secretKey.replace('sk_', 'rk_');
    await service.controlOf({ secretKey }).restrictKey(restricted, ['rak_invoice_read']);
    await service.connect(teamId, { secretKey: restricted, webhookSecret: 'whsec_by_hand' });
    const health = await healthOf(teamId);
    expect(health.status).toBe('broken');
    expect(checkOf(health, 'key')).toMatchObject({ status: 'failed', detail: named('rak_invoice_read')[0] });
    expect(endpoint.id).toBeDefined();
  });

  it.each(['rak_dispute_read', 'rak_setup_intent_read', 'rak_checkout_session_read'])(
    'names %s, which is needed for some events only',
    async permission => {
      const { teamId, secretKey } = await newTeam();
      const restricted = secretKey.replace('sk_', 'rk_');
      await service.controlOf({ secretKey }).restrictKey(restricted, [permission]);
      await service.connect(teamId, { secretKey: restricted });
      const check = checkOf(await healthOf(teamId), 'key');
      expect(check).toMatchObject({ status: 'failed', detail: named(permission)[0] });
    },
  );

  it('says that the processor refuses the key', async () => {
    const { teamId, secretKey } = await newTeam();
    await service.controlOf({ secretKey }).fail({ mode: '401', times: 10 });
    const health = await healthOf(teamId);
    expect(health.status).toBe('broken');
    expect(checkOf(health, 'key')).toMatchObject({
      status: 'failed',
      detail: named('refused the connected secret key')[0],
    });
    expect(checkOf(health, 'endpoint')).toMatchObject({ status: 'unknown' });
  });

  it('counts events that the processor could not deliver, once they are old enough', async () => {
    const { teamId, stripe } = await newTeam();
    await stripe.customers.create({ email: 'undelivered@example.com' });
    expect(checkOf(await healthOf(teamId), 'events')?.status).not.toBe('warning');
    const later = await service.startCopy({ run: false, now: () => new Date(Date.now() + 120_000) });
    const asLater = { call: later.call.bind(later) } as Pick<WebhooksService, 'call'>; // a copy serves the same API
    expect(checkOf(await healthOf(teamId, asLater), 'events')).toMatchObject({
      status: 'warning',
      detail: named('1 undelivered')[0],
    });
  });

  it('names an endpoint that is gone, disabled, or lacks types', async () => {
    const { teamId, endpoint, stripe } = await newTeam();
    const found = async () => {
      const health = await healthOf(teamId);
      const { status, detail, fix } = checkOf(health, 'endpoint') ?? {};
      return [health.status, status, detail, typeof fix];
    };
    await stripe.webhookEndpoints.update(endpoint.id, { enabled_events: ['invoice.paid'] });
    expect(await found()).toEqual(['broken', 'failed', ...named('customer.subscription.created'), 'string']);
    const types = endpoint.enabled_events.filter(type => type !== 'invoice.voided');
    await stripe.webhookEndpoints.update(endpoint.id, { enabled_events: types as ['invoice.paid'] }); // as it was read
    expect(await found()).toEqual(['degraded', 'warning', ...named('invoice.voided'), 'string']);
    await stripe.webhookEndpoints.update(endpoint.id, { disabled: true });
    expect(await found()).toEqual(['broken', 'failed', ...named('disabled'), 'string']);
    await stripe.webhookEndpoints.del(endpoint.id);
    const url = `${PUBLIC_URL}/api/webhooks/processor/${teamId}`;
    expect(await found()).toEqual(['broken', 'failed', ...named(url), 'string']);
    await stripe.webhookEndpoints.create({ url, enabled_events: ['*'], api_version: '2020-08-27' });
    expect(await found()).toEqual(['degraded', 'warning', ...named('2020-08-27'), 'string']);
  });

  it('fails signatures only while no valid one has come', async () => {
    const team = await service.newTeam();
    const body = JSON.stringify(customerUpdated());
    await service.post(team.teamId, body, signatureOf(body, 'whsec_of_another_endpoint'));
    const refused = await waitFor(
      async () => {
        const check = checkOf(await healthOf(team.teamId), 'signatures');
        return check?.status === 'unknown' ? undefined : check;
      },
      { what: 'the refused signature to be counted' },
    );
    expect(refused).toMatchObject({ status: 'failed', detail: named('0 valid and 1 invalid')[0] });
    await service.send(team, customerUpdated());
    expect(checkOf(await healthOf(team.teamId), 'signatures')).toMatchObject({ status: 'ok' });
  });

  it('counts failed events', async () => {
    const team = await service.newTeam();
    const event = customerUpdated();
    await service.send(team, event);
    await service.sql(`update webhook_events set status = 'failed', error = 'unroutable: x' where team_id = ?`, [
      team.teamId,
    ]);
    expect(checkOf(await healthOf(team.teamId), 'events')).toMatchObject({
      status: 'warning',
      detail: named('1 failed, 1 of them without a project')[0],
    });
  });

  it('says how much of its quota a team stores, and when that is all', async () => {
    const { teamId } = await newTeam();
    const store = (share: number) =>
      service.sql(
        `insert into stored_bytes (team_id, store, bytes) values (?, 'events_20260101', ?)
         on conflict (team_id, store) do update set bytes = excluded.bytes`,
        [teamId, Math.round(share * 10_737_418_240)],
      );
    const found = async () => {
      const health = await healthOf(teamId);
      return [health.status, checkOf(health, 'storage')];
    };
    await store(0.95);
    expect(await found()).toMatchObject(['degraded', { status: 'warning', detail: named('9728 of 10240 MiB')[0] }]);
    await store(1);
    expect(await found()).toMatchObject(['degraded', { status: 'failed', detail: named('429')[0] }]);
  });

  it('warns of subscriptions that are billed without tax', async () => {
    const [lost, taxed] = [await newTeam(), await newTeam()];
    expect(checkOf(await healthOf(lost.teamId), 'tax')).toMatchObject({ status: 'unknown' });
    await service.serve(CountStoppedTax, async ({ teamId }) => ({ subscriptions: teamId === lost.teamId ? 2 : 0 }));
    const health = await healthOf(lost.teamId);
    expect([health.status, checkOf(health, 'tax')]).toEqual([
      'degraded',
      { name: 'tax', status: 'warning', detail: named('bills 2 subscriptions')[0], fix: named('taxStopped=true')[0] },
    ]);
    expect(checkOf(await healthOf(taxed.teamId), 'tax')).toMatchObject({ status: 'ok', fix: null });
  });

  it('compares the clocks', async () => {
    const { teamId } = await newTeam();
    const late = await service.startCopy({ run: false, now: () => new Date(Date.now() + 120_000) });
    const asLate = { call: late.call.bind(late) } as Pick<WebhooksService, 'call'>; // a copy serves the same API
    expect(checkOf(await healthOf(teamId, asLate), 'clock')).toMatchObject({ status: 'warning' });
    const wrong = await service.startCopy({ run: false, now: () => new Date(Date.now() - 3_600_000) });
    const asWrong = { call: wrong.call.bind(wrong) } as Pick<WebhooksService, 'call'>; // as above
    const health = await healthOf(teamId, asWrong);
    expect([health.status, checkOf(health, 'clock')?.status]).toEqual(['degraded', 'failed']);
  });

  it('shows what the last report found', async () => {
    const { teamId, projectId } = await newTeam();
    await service.sql(
      `insert into syncs (id, team_id, project_id, mode, status, types, filter, mark_at_processor, nightly, type, phase,
                          created_at, finished_at, failures)
       values ('sync_of_the_night', ?, ?, 'report', 'completed', '{}', '{}', false, true, 'invoice', 'recheck', now(), now(), 0)`,
      [teamId, projectId],
    );
    expect(checkOf(await healthOf(teamId), 'drift')).toMatchObject({ status: 'ok' });
    await service.sql(
      `insert into sync_objects (sync_id, type, processor_id, team_id, project_id, state, read_at, is_marked, outcome, fields, applied, checks)
       values ('sync_of_the_night', 'customer', 'cus_1', ?, ?, 'confirmed', now(), false, 'different', '[]', false, 2)`,
      [teamId, projectId],
    );
    const health = await healthOf(teamId);
    expect([health.status, checkOf(health, 'drift')?.status]).toEqual(['degraded', 'warning']);
  });
});
