import { unavailable } from '@billing/contracts/problem';
import { expect, it } from 'vitest';
import { aSubscription } from './billing-samples.ts';
import { textOf } from './page-text.ts';
import { startService } from './start-service.ts';

const BRAND = {
  name: 'Acme',
  logoUrl: 'https://cdn.example:8443/a/logo.png?v=1&w=2',
  accentColor: '#ffd400',
  supportUrl: 'https://help.example/?from=billing&x=1',
  returnUrl: 'https://acme.example/account',
};

it('shows name, logo, colour and help of the project on every page', async () => {
  await using service = await startService();
  const subscription = aSubscription(service);
  service.otherServices.subscriptions = [subscription];
  await service.configure({ brand: BRAND });
  const { token } = await service.createLink();
  const cancel = `/subscriptions/${subscription.id}/cancel`;
  const pages = [await service.visit(token), await service.visit(token, cancel)];
  service.otherServices.refusal = unavailable('The processor does not respond.');
  pages.push(await service.submit(token, cancel));
  await service.otherServices.stop('billing');
  pages.push(await service.visit(token));
  pages.push(await service.visit(token, '/subscriptions/not-an-id/cancel'));
  expect(pages.map(({ statusCode }) => statusCode)).toEqual([200, 200, 503, 503, 404]);
  for (const { body, headers } of pages) {
    expect(body).toContain('<bdi>Acme</bdi>');
    expect(body).toContain(
      '<img src="https://cdn.example:8443/a/logo.png?v=1&amp;w=2" alt="" width="32" height="32" data-letter="A" />',
    );
    expect(body).toContain('<a href="https://help.example/?from=billing&amp;x=1" rel="noreferrer">Get help</a>');
    expect(body).toContain(':root{--accent:#836d00;--fill:#836d00;');
    expect(body).toContain('{:root{--accent:#ffd400;--fill:#8b7400;');
    expect(String(headers['content-security-policy']).split('; ')).toContain('img-src https://cdn.example:8443');
  }
  const expired = await service.visit(`${token.slice(0, -1)}_`, '/subscriptions/not-an-id/cancel');
  expect(textOf(expired.body)).toContain('This link has expired');
  expect(expired.body).not.toMatch(/Acme|<img|help\.example/);
  expect(expired.headers['content-security-policy']).not.toContain('img-src');
});

it('links to an e-mail address that helps', async () => {
  await using service = await startService();
  await service.configure({ brand: { supportUrl: 'mailto:help@acme.example' } });
  const { body } = await service.visit((await service.createLink()).token);
  expect(body).toContain('<a href="mailto:help@acme.example" rel="noreferrer">Get help</a>');
});

it('links back to where the link says, else to where the project says', async () => {
  await using service = await startService();
  const backOf = async (payload: object) => {
    const { token } = await service.createLink(payload);
    return /class="back" href="([^"]*)"/.exec((await service.visit(token)).body)?.[1];
  };
  const own = { returnUrl: 'https://shop.example/mine' };
  expect(await backOf({})).toBeUndefined();
  await service.configure({ brand: BRAND });
  expect([await backOf({}), await backOf(own)]).toEqual([BRAND.returnUrl, own.returnUrl]);
});

it('has the name of the project until another is set, and does without where the gateway is down', async () => {
  await using service = await startService();
  service.otherServices.subscriptions = [aSubscription(service)];
  const { token } = await service.createLink();
  const cancel = `/subscriptions/${service.otherServices.subscriptions[0]?.id}/cancel`;
  for (const path of ['', cancel])
    expect(textOf((await service.visit(token, path)).body)).toContain('Analytical Engines');
  service.otherServices.refusal = unavailable('The processor does not respond.');
  expect(textOf((await service.submit(token, cancel)).body)).toContain('Analytical Engines');
  await service.otherServices.stop('project');
  for (const path of ['', cancel]) {
    const { statusCode, body } = await service.visit(token, path);
    expect([statusCode, body.includes('Analytical Engines')]).toEqual([200, false]);
  }
});

it('speaks the language of the project to readers who ask for none of the portal’s', async () => {
  await using service = await startService();
  await service.configure({ defaultLanguage: 'sv' });
  const [link, german] = [await service.createLink(), await service.createLink({ locale: 'de' })];
  const languageOf = async (token: string, path: string, accepted: string) =>
    (await service.visit(token, path, { 'accept-language': accepted })).headers['content-language'];
  expect(await languageOf(link.token, '', 'zh')).toBe('sv');
  expect(await languageOf(link.token, '', 'zh, it;q=0.1')).toBe('it');
  expect(await languageOf(link.token, '?lang=fr', 'it')).toBe('fr');
  expect(await languageOf(german.token, '', 'zh')).toBe('de');
  await service.otherServices.stop('billing');
  expect(await languageOf(link.token, '', 'zh')).toBe('sv');
});
