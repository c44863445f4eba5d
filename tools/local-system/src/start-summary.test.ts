import { expect, it } from 'vitest';
import { renderStartSummary } from './start-summary.ts';

const system = {
  gatewayUrl: 'http://localhost:8080',
  processorUrl: 'http://localhost:20111',
  elapsedMs: 9_240,
  memory: { processes: 14, bytes: 512 * 1024 ** 2 },
  logFolder: '.data/logs',
};
const demo = {
  user: { email: 'demo@example.com', password: 'correct horse' },
  signInUrl: 'http://localhost:8080/sign-in#once',
  teamId: 'team_1',
  projectId: 'proj_1',
  apiKey: 'bil_test_1',
  checkoutUrl: 'http://localhost:20111/c/1',
  portalUrl: 'http://localhost:8080/portal/1',
  mrr: 2_999,
  currency: 'usd',
  mayUse: { seats: 5, sso: true },
};

it('shows sign-in, ids, key, links and metrics on one screen', () => {
  const text = renderStartSummary({ ...system, demo });
  for (const shown of [
    system.gatewayUrl,
    demo.signInUrl,
    demo.user.email,
    demo.user.password,
    demo.teamId,
    demo.projectId,
    demo.apiKey,
    demo.checkoutUrl,
    demo.portalUrl,
  ])
    expect(text).toContain(shown);
  expect(text).toMatch(/MRR +\$29\.99/);
  expect(renderStartSummary({ ...system, demo: { ...demo, mrr: 500_000, currency: 'ugx' } })).toMatch(
    /MRR +UGX\s5,000$/m,
  );
  expect(text).toMatch(/Ada may use +seats: 5, sso: true/);
  expect(text).toMatch(/Started in +9\.2 s/);
  expect(text).toMatch(/Memory +512 MB in 14 processes/);
  expect(text.split('\n').length).toBeLessThan(20);
});

it('begins with the address of the console', () => {
  const first = (text: string) => text.split('\n').find(line => line.startsWith('  '));
  expect(first(renderStartSummary({ ...system, demo }))).toMatch(/^  Console +http:\/\/localhost:8080\/sign-in#once/);
  expect(first(renderStartSummary({ ...system, demo: undefined }))).toMatch(/^  Console +http:\/\/localhost:8080$/);
});

it('says what the upgrade costs, as previewed', () => {
  const upgrade = {
    amountDue: 1_967,
    currency: 'usd',
    nextInvoice: { at: '2026-12-31T23:00:00.000Z', total: 4_999 },
    entitlementChanges: [{ feature: 'seats', from: 5, to: 20 }],
  };
  const text = renderStartSummary({ ...system, demo: { ...demo, upgrade } });
  expect(text).toMatch(/Her upgrade +\$19\.67 today, \$49\.99 from Dec 31, seats: 5 to 20$/m);
  expect(text.split('\n').length).toBeLessThan(20);
});

it('omits the demo when there was none', () => {
  expect(renderStartSummary({ ...system, demo: undefined })).not.toContain('API key');
});
