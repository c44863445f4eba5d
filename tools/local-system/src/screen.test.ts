import { expect, it } from 'vitest';
import { formatMoney, renderScreen } from './screen.ts';

const facts = {
  gatewayUrl: 'http://localhost:8080',
  processorUrl: 'http://localhost:20111',
  elapsedMs: 9_240,
  memory: { processes: 14, bytes: 512 * 1024 ** 2 },
  logFolder: '.data/logs',
};
const demo = {
  user: { email: 'demo@example.com', password: 'correct horse' },
  apiKey: 'bil_test_1',
  checkoutUrl: 'http://localhost:20111/c/1',
  portalUrl: 'http://localhost:8080/portal/1',
  mrr: 2_999,
  currency: 'usd',
};

it('shows on one screen what a first visitor needs', () => {
  const screen = renderScreen({ ...facts, demo });
  for (const shown of [
    facts.gatewayUrl,
    demo.user.email,
    demo.user.password,
    demo.apiKey,
    demo.checkoutUrl,
    demo.portalUrl,
  ])
    expect(screen).toContain(shown);
  expect(screen).toMatch(/MRR +\$29\.99/);
  expect(screen).toMatch(/Started in +9\.2 s/);
  expect(screen).toMatch(/Memory +512 MB in 14 processes/);
  expect(screen.split('\n').length).toBeLessThan(20);
});

it('leaves the demo out when there was none', () => {
  expect(renderScreen({ ...facts, demo: undefined })).not.toContain('API key');
});

it('writes an amount with the decimals of its currency', () => {
  expect(formatMoney(500, 'jpy')).toBe('¥500');
  expect(formatMoney(1_234, 'kwd')).toMatch(/^KWD\s1\.234$/);
});
