import { TeamId } from '@billing/contracts/ids';
import { DEFAULT_PORTAL_CONFIG } from '@billing/contracts/resources/portal-config';
import { expect, it } from 'vitest';
import { openDraft, signDraft, type Draft } from '../src/domain/draft.ts';
import { aPrice } from './catalog-samples.ts';
import { textOf } from './page-text.ts';
import { startService, type Service } from './start-service.ts';

it('shows the page of a draft in a language, with its first price, and saves nothing', async () => {
  await using service = await startService();
  const plan = aPrice(service, { currency: 'eur', unitAmount: 4_900, interval: 'year' }, 'Team');
  service.otherServices.prices = [plan];
  const planSwitch = { enabled: true, priceIds: [plan.price.id] };
  const brand = { name: 'Acme', accentColor: '#ffd400', logoUrl: 'https://cdn.example/logo.png' };
  const { url } = await preview(service, { planSwitch, brand }, 'de');
  const { statusCode, body, headers } = await open(service, url);
  expect([statusCode, headers['content-language']]).toEqual([200, 'de']);
  for (const shown of ['Acme', 'Ada Lovelace', 'Team', '49,00\u00a0€']) expect(textOf(body)).toContain(shown);
  expect(body).toContain('--accent:#ffd400');
  expect(textOf((await open(service, `${url}&tab=payment-methods`)).body)).toContain('4242');
  const saved = await service.call('GET', pathOf(service));
  expect(saved.body).toEqual({ portalConfig: DEFAULT_PORTAL_CONFIG });
});

it('works in a frame of this origin only, with no action', async () => {
  await using service = await startService();
  const { url } = await preview(service, {});
  const { body, headers } = await open(service, url);
  expect(body).toContain('<body class="portal" inert>');
  expect(body).not.toContain('<script');
  expect(
    String(headers['content-security-policy'])
      .replace(/nonce-[^']+/, 'nonce')
      .split('; '),
  ).toEqual([
    `default-src 'none'`,
    `style-src 'nonce'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'self'`,
    'sandbox',
  ]);
});

it('shows what it can without the catalog and the gateway', async () => {
  await using service = await startService();
  const plan = aPrice(service);
  const { url } = await preview(service, { planSwitch: { enabled: true, priceIds: [plan.price.id] } });
  await service.otherServices.stop('prices');
  await service.otherServices.stop('project');
  const { statusCode, body } = await open(service, url);
  expect([statusCode, textOf(body).includes('$29.99')]).toEqual([200, true]);
});

it('names the fields of a draft that are not valid, and opens none that it has not signed', async () => {
  await using service = await startService();
  const refused = await service.call('POST', `${pathOf(service)}/preview`, {
    body: { portalConfig: { brand: { accentColor: 'red' } } },
  });
  expect(refused.body).toMatchObject({
    error: { details: { fields: [{ path: 'portalConfig.brand.accentColor' }] } },
  });
  const { url } = await preview(service, {});
  const forged = `${Buffer.from('{}').toString('base64url')}.${url.split('.')[1]}`;
  for (const other of [`${url}x`, url.slice(0, -1), '/portal/preview', `/portal/preview?draft=${forged}`]) {
    const { statusCode, headers } = await open(service, other);
    expect([statusCode, headers['x-billing-problem']]).toEqual([404, 'portal_link_expired']);
  }
});

it('opens a draft with its key until it expires', () => {
  const [key, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const expiresAt = new Date('2026-11-27T12:00:00Z');
  const scope = { teamId: TeamId.example, projectId: 'proj_7h3j9s5d1f8g2k6m4p0q7r3v' } as const;
  const draft: Draft = { ...scope, config: DEFAULT_PORTAL_CONFIG, language: null, expiresAt };
  const signed = signDraft(key, draft);
  const before = new Date(expiresAt.getTime() - 1);
  expect(openDraft(key, signed, before)).toEqual(draft);
  expect([openDraft(key, signed, expiresAt), openDraft(other, signed, before), openDraft(key, '', before)]).toEqual([
    null,
    null,
    null,
  ]);
});

const pathOf = ({ scope: { teamId, projectId } }: Service) =>
  `/api/service/teams/${teamId}/projects/${projectId}/portal-config`;

async function preview(service: Service, portalConfig: object, language?: string): Promise<{ url: string }> {
  const { status, body } = await service.call('POST', `${pathOf(service)}/preview`, {
    body: { portalConfig, language },
    as: service.identity.asKey({ ...service.scope, scopes: ['subscriptions:read'] }),
  });
  expect(status).toBe(200);
  return body;
}

const open = ({ app, identity }: Service, url: string) =>
  app.inject({ method: 'GET', url, headers: identity.anonymous() });
