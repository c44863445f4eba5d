import { WebhookEndpointFailed } from '@billing/contracts/events/webhooks';
import { ProjectId, WebhookEndpointId, type TeamId } from '@billing/contracts/ids';
import { newEvent } from '@billing/testing/events';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cookieOf } from './http-client.ts';
import { decodedMail, startMailServer } from './mail-server.ts';
import { startGateway, type Gateway } from './start-gateway.ts';
import { PASSWORD } from './tenants.ts';

let mailServer: Awaited<ReturnType<typeof startMailServer>>;
let gateway: Gateway;
beforeAll(async () => {
  mailServer = await startMailServer();
  gateway = await startGateway({ env: { SMTP_URL: mailServer.url } });
});
afterAll(async () => {
  for (const opened of [gateway, mailServer]) await opened[Symbol.asyncDispose]();
});

/** Signs up a user whose address is confirmed, with a team. */
async function newOwner(email: string) {
  await gateway.call('POST', '/api/auth/sign-up/email', { body: { name: 'Ada', email, password: PASSWORD } });
  await gateway.em.fork().execute('update auth."user" set "emailVerified" = true where email = ?', [email]);
  const signedIn = await gateway.call('POST', '/api/auth/sign-in/email', { body: { email, password: PASSWORD } });
  const headers = { cookie: cookieOf(signedIn) };
  const { team } = (await gateway.call('POST', '/api/service/teams', { headers, body: { name: 'Acme' } })).body;
  return { email, teamId: team.id as TeamId }; // the API's shape
}

it('mails the owners of a team when an endpoint fails for a day, and when it is disabled', async () => {
  const [owner, other] = [await newOwner('ada@example.com'), await newOwner('bob@example.com')];
  const reported = (status: 'failing' | 'disabled') =>
    newEvent(WebhookEndpointFailed, owner.teamId, {
      projectId: ProjectId.create(),
      webhookEndpointId: WebhookEndpointId.create(),
      host: 'hooks.shop.example',
      status,
      failingSince: new Date('2026-03-02T09:30:00.000Z'),
    });
  await gateway.emit(reported('failing'));
  await gateway.emit(reported('disabled'));
  const sent = (subject: string) =>
    mailServer.messages.map(decodedMail).filter(message => message.includes(`Subject: ${subject}`));
  const host = 'hooks.\u200ashop.\u200aexample';
  const [failing, disabled] = [`Webhooks to ${host} fail`, `Webhooks to ${host} are disabled`];
  await waitFor(() => sent(failing).length + sent(disabled).length === 2, { what: 'the mails' });
  for (const [message] of [sent(failing), sent(disabled)]) {
    expect(message).toContain(`To: ${owner.email}`);
    expect(message).toContain('2026-03-02T09:30:00');
    expect(message).not.toContain(other.email);
    expect(message).not.toContain('hooks.shop.example');
  }
});
