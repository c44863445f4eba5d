import { TeamId } from '@billing/contracts/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aCustomer, anEvent, newCredentials, sign, startService, type Service, type Team } from './service.ts';

const NOW = Math.floor(Date.now() / 1_000);
let service: Service;
let team: Team;

beforeAll(async () => {
  service = await startService({ working: false, now: () => new Date(NOW * 1_000) });
  team = await service.newTeam();
});
afterAll(() => service[Symbol.asyncDispose]());

const countEvents = async () =>
  Number((await service.admin.query('select count(*) from webhooks.webhook_events')).rows[0].count);

describe('the signature', () => {
  const body = () => JSON.stringify(anEvent('customer.updated', aCustomer()));

  it.each([
    [-301, 400],
    [-300, 200],
    [-299, 200],
    [0, 200],
    [299, 200],
    [300, 200],
    [301, 400],
  ])('made %i s from now is answered %i', async (offset, status) => {
    const bytes = body();
    expect((await service.post(team.teamId, bytes, sign(bytes, team.webhookSecret, NOW + offset))).statusCode).toBe(
      status,
    );
  });

  it('counts over the bytes as they came, whatever their type is called', async () => {
    const bytes = `  ${body()}\n`;
    const signature = sign(bytes, team.webhookSecret, NOW);
    const response = await service.post(team.teamId, bytes, signature, { contentType: 'text/plain' });
    expect(response.json()).toEqual({ received: true });
  });

  it('may stand among others, as long as one fits', async () => {
    const bytes = body();
    const [, right] = sign(bytes, team.webhookSecret, NOW).split(',');
    const [, wrong] = sign(bytes, 'whsec_other', NOW).split(',');
    const header = `t=${NOW},${wrong},v0=abc,${right},v1=short`;
    expect((await service.post(team.teamId, bytes, header)).statusCode).toBe(200);
  });

  it('gets one and the same answer whatever is wrong with it, and leaves nothing behind', async () => {
    const other = await service.newTeam();
    const unknown = { teamId: 'team_00000000000000000000000x' };
    const unconnected = { teamId: TeamId.create() };
    service.newProject(unconnected.teamId);
    const bytes = body();
    const right = sign(bytes, team.webhookSecret, NOW);
    const before = await countEvents();
    const answers = await Promise.all([
      service.post(team.teamId, bytes, undefined),
      service.post(team.teamId, bytes, ''),
      service.post(team.teamId, bytes, 'nonsense'),
      service.post(team.teamId, bytes, right.slice(0, -2)),
      service.post(team.teamId, bytes, right.replace(/t=\d+/, `t=${NOW - 1}`)),
      service.post(team.teamId, bytes, right.replace(/t=\d+/, 't=1e9')),
      service.post(team.teamId, `${bytes} `, right),
      service.post(team.teamId, 'no json', right),
      service.post(team.teamId, bytes, sign(bytes, team.webhookSecret, NOW, 'v0')),
      service.post(team.teamId, bytes, sign(bytes, other.webhookSecret, NOW)),
      service.post(team.teamId, bytes, sign(bytes, '', NOW)),
      service.post(other.teamId, bytes, right),
      service.post(unknown.teamId, bytes, right),
      service.post(unconnected.teamId, bytes, right),
      service.post(unconnected.teamId, bytes, sign(bytes, '', NOW)),
      service.post(team.teamId, bytes, right.replace('v1=', 'v1=00')),
      service.post(team.teamId, bytes, right.replace(/^t=\d+,/, '')),
      service.post(team.teamId, bytes, `t=${NOW}`),
      service.post('not-a-team', bytes, right),
      service.post('%00', bytes, right),
    ]);
    const bodies = answers.map(answer => ({ ...answer.json().error, status: answer.statusCode, requestId: '' }));
    for (const answered of bodies) expect(answered).toEqual(bodies[0]);
    expect(bodies[0]).toMatchObject({ status: 400, code: 'invalid_signature' });
    expect(await countEvents()).toBe(before);
  });
});

describe('a signed body', () => {
  const post = (bytes: string | Buffer) => service.post(team.teamId, bytes, sign(bytes, team.webhookSecret, NOW));
  const valid = anEvent('customer.updated', aCustomer());

  it('of more than 1 MiB is refused', async () => {
    const bytes = JSON.stringify({ ...valid, padding: 'x'.repeat(1_048_576) });
    const response = await post(bytes);
    expect([response.statusCode, response.json().error.code]).toEqual([413, 'payload_too_large']);
  });

  it('of a type that nobody handles is kept as ignored', async () => {
    const event = anEvent('payment_method.attached', { id: 'pm_1', object: 'payment_method' });
    expect((await service.send(team, event)).json()).toEqual({ received: true });
    expect(await service.recordOf(team, event.id)).toMatchObject({
      status: 'ignored',
      objectId: 'pm_1',
      projectId: null,
    });
  });
});

it('says of a repeat that it is one, whatever address it came to', async () => {
  const event = anEvent('customer.updated', aCustomer());
  expect((await service.send(team, event)).json()).toEqual({ received: true });
  expect((await service.send(team, event)).json()).toEqual({ received: true, duplicate: true });
  expect((await service.send(team, event, { path: 'stripe' })).json()).toEqual({ received: true, duplicate: true });
});

it('keeps events of two teams apart, though they have the same id', async () => {
  const other = await service.newTeam();
  const event = anEvent('customer.updated', aCustomer());
  expect((await service.send(team, event)).json()).toEqual({ received: true });
  expect((await service.send(other, event)).json()).toEqual({ received: true });
});

it('takes each event once from two copies and both addresses at the same time', async () => {
  const second = await service.startCopy({ working: false, now: () => new Date(NOW * 1_000) });
  const events = Array.from({ length: 60 }, () => anEvent('customer.updated', aCustomer()));
  const answers = await Promise.all(
    events.flatMap((event, index) => [
      service.send(team, event),
      service.send(team, event, { app: second.app, path: 'stripe' }),
      service.send(team, event, { app: index % 2 ? second.app : service.app }),
    ]),
  );
  expect(answers.map(answer => answer.statusCode).every(status => status === 200)).toBe(true);
  expect(answers.filter(answer => !answer.json().duplicate)).toHaveLength(60);
});

it('stores what arrives together in few statements, and a bad row harms no neighbour', async () => {
  await service.admin.query(`
    create function webhooks.refuse() returns trigger language plpgsql as
      $$ begin if new.object_id = 'cus_poison' then raise exception 'refused'; end if; return new; end $$;
    create trigger refuse before insert on webhooks.webhook_events for each row execute function webhooks.refuse();
    create table webhooks.statements (at timestamptz);
    create function webhooks.count_statement() returns trigger language plpgsql security definer as
      $$ begin insert into webhooks.statements values (now()); return null; end $$;
    create trigger count_statement after insert on webhooks.webhook_events
      for each statement execute function webhooks.count_statement()`);
  try {
    const together = Array.from({ length: 50 }, () => service.send(team, anEvent('customer.updated', aCustomer())));
    expect((await Promise.all(together)).every(answer => answer.statusCode === 200)).toBe(true);
    const { rows } = await service.admin.query('select count(*)::int as count from webhooks.statements');
    expect(rows[0].count).toBeLessThan(10);

    const poison = anEvent('customer.updated', aCustomer(undefined, { id: 'cus_poison' }));
    const group = Array.from({ length: 20 }, () => anEvent('customer.updated', aCustomer()));
    const statuses = await Promise.all(
      [...group.slice(0, 10), poison, ...group.slice(10)].map(
        async event => (await service.send(team, event)).statusCode,
      ),
    );
    expect(statuses).toEqual([...Array<number>(10).fill(200), 500, ...Array<number>(10).fill(200)]);
  } finally {
    await service.admin.query(`
      drop trigger refuse on webhooks.webhook_events; drop trigger count_statement on webhooks.webhook_events`);
  }
});

it('accepts a replaced signing secret for 24 hours, on every copy, and the new one at once', async () => {
  const second = await service.startCopy({ working: false, now: () => new Date(NOW * 1_000) });
  const rotating = await service.newTeam();
  const known = [rotating];
  for (let turn = 0; turn < 3; turn += 1) {
    const { webhookSecret } = newCredentials();
    await service.connect(rotating.teamId, { ...newCredentials(), webhookSecret });
    known.push({ ...rotating, webhookSecret });
    for (const app of [service.app, second.app])
      for (const signedBy of known)
        expect((await service.send(signedBy, anEvent('customer.updated', aCustomer()), { app })).statusCode).toBe(200);
  }
  await service.admin.query(
    `update webhooks.signing_secrets set valid_until = now() where team_id = $1 and valid_until is not null`,
    [rotating.teamId],
  );
  const third = await service.startCopy({ working: false, now: () => new Date(NOW * 1_000) });
  const statuses = await Promise.all(
    known.map(async by => (await service.send(by, anEvent('customer.updated', aCustomer()), third)).statusCode),
  );
  expect(statuses).toEqual([400, 400, 400, 200]);
});
