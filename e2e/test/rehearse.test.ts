import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newTenant, type Tenant } from '../system/tenant.ts';

const TOOL = join(import.meta.dirname, '../../tools/rehearse');

/** Plays a rehearsal as a developer or a workflow does. */
function rehearse({ teamId, projectId, secret, gatewayUrl }: Tenant, ...args: readonly string[]) {
  const project = ['--team', teamId, '--project', projectId, '--url', gatewayUrl];
  const env = { ...process.env, BILLING_API_KEY: secret, NO_COLOR: '1' };
  return new Promise<{ exitCode: number; stdout: string; stderr: string }>(resolve => {
    execFile(process.execPath, [join(TOOL, 'src/main.ts'), ...args, ...project], { env }, (error, stdout, stderr) =>
      resolve({ exitCode: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
    );
  });
}

async function newFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'billing-rehearse-'));
  return { in: (name: string) => join(folder, name), [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

const CATALOG = `
version: 1
features:
  - { key: seats, name: Seats, type: limit }
products:
  - key: pro
    name: Pro
    features: { seats: { value: 5, per: quantity } }
    prices:
      - { key: pro_monthly, unitAmount: 3000, currency: usd, interval: month }
      - { key: pro_yearly, unitAmount: 30000, currency: usd, interval: year }
  - key: api
    name: API
    prices:
      - { key: api_calls, unitAmount: 5, currency: usd, interval: month, meter: api_calls }
`;

const everyStep = ({ seats }: { readonly seats: number }) => `
name: Every <step>
now: 2030-04-01T12:00:00Z
catalogFile: catalog.yaml
customers:
  ada: {}
  ben: { card: none, externalId: ben }
steps:
  - sell: { customer: ben, priceKey: pro_monthly, refused: payment_method_missing }
  - sell: { customer: ben, priceKey: pro_monthly, trialDays: 7, collect: invoice }
  - sell: { customer: ada, priceKey: pro_monthly }
  - change: { customer: ada, quantity: 2 }
  - expect:
      customer: ada
      subscription: { quantity: 2, paused: false }
      entitlements: { seats: ${seats}, reports: null }
      latestInvoice: { status: paid }
      events: [subscription.updated, invoice.paid]
  - change: { customer: ada, priceKey: pro_yearly, when: period_end }
  - pause: { customer: ada, invoices: keep_as_draft }
  - expect: { customer: ada, subscription: { paused: true } }
  - resume: { customer: ada }
  - cancel: { customer: ben, when: period_end }
  - expect: { customer: ben, subscription: { status: trialing, cancelAtPeriodEnd: true, trialEnd: 2030-04-08 } }
  - card: { customer: ada, card: authentication }
  - advance: { until: period_end }
  - advance: { by: 2 hours }
  - expect: { customer: ben, subscription: { status: canceled }, entitlements: { seats: null } }
  - cancel: { customer: ada, when: now }
  - resume: { customer: ada }
`;

it.concurrent.each(['year', 'trial', 'price-migration'])('plays %s, and leaves no clock behind', async name => {
  const tenant = await newTenant();
  const { exitCode, stdout, stderr } = await rehearse(tenant, join(TOOL, 'rehearsals', `${name}.yaml`));
  expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: 0, stderr: '' });
  expect(stdout).toMatch(/^\d+ expectations hold\.$/m);
  expect((await tenant.billing.testClocks.list().page()).items).toEqual([]);
});

it.concurrent('takes every step, says what is not as expected, and ends with what is refused', async () => {
  const tenant = await newTenant();
  const { billing } = tenant;
  await using folder = await newFolder();
  const [file, junit, picture] = [folder.in('steps.yaml'), folder.in('junit.xml'), folder.in('picture.svg')];
  await writeFile(folder.in('catalog.yaml'), CATALOG);
  await writeFile(file, everyStep({ seats: 7 }));
  const { exitCode, stdout, stderr } = await rehearse(tenant, file, '--junit', junit, '--picture', picture, '--keep');

  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^2030-04-01 {2}✗ expect ada: .*\n(.*\n)+ +expected +actual\n +entitlements\.seats +7 +10$/m);
  expect(stdout).toMatch(/^2030-04-08 {2}✗ resume ada\n +The subscription has ended; start a new checkout\.$/m);
  expect(stdout).toContain('1 of 4 expectations failed. It ended with a step that could not be taken.');
  const xml = await readFile(junit, 'utf8');
  expect(xml).toContain('<testsuite name="Every &lt;step&gt;" tests="5" failures="1" errors="1">');
  expect(xml).toContain('<failure message="entitlements.seats: expected 7, actual 10">');

  expect(await readFile(picture, 'utf8')).toMatch(/^<svg [^]*>pro_monthly active<\/text>/);

  const [clock] = (await billing.testClocks.list().page()).items;
  expect(stderr).toContain(`The clock ${clock?.id} stays with its customers`);
  expect((await billing.customers.list({ externalId: 'ben' }).page()).items.map(({ id }) => id)).toEqual([
    clock?.customerIds[1],
  ]);
});

it.concurrent('bills what was used in a rehearsal, and ends with usage that is rejected', async () => {
  const tenant = await newTenant();
  await using folder = await newFolder();
  const file = folder.in('usage.yaml');
  await writeFile(folder.in('catalog.yaml'), CATALOG);
  await writeFile(
    file,
    `
name: Usage
now: 2030-04-01
catalogFile: catalog.yaml
customers: { ada: {} }
steps:
  - sell: { customer: ada, priceKey: api_calls }
  - usage: { customer: ada, meter: api_calls, value: 30 }
  - advance: { by: 10 days }
  - usage: { customer: ada, meter: api_calls, value: 12 }
  - advance: { until: next_invoice }
  - expect: { customer: ada, latestInvoice: { status: paid, total: 210 } }
  - usage: { customer: ada, meter: no_such_meter, value: 1 }
`,
  );
  const { exitCode, stdout } = await rehearse(tenant, file);
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^2030-04-11 {2}usage of ada: 12 api_calls$/m);
  expect(stdout).toMatch(/^2030-05-01 {2}✓ expect ada: latestInvoice\.status paid, latestInvoice\.total 210$/m);
  expect(stdout).toMatch(/^2030-05-01 {2}✗ usage of ada: 1 no_such_meter\n +.*no_such_meter/m);
});

it.concurrent('names every wrong place of a file, before it creates anything', async () => {
  const tenant = await newTenant();
  await using folder = await newFolder();
  const file = folder.in('wrong.yaml');
  await writeFile(
    file,
    'name: Wrong\nnow: today\ncustomers: { ada: {} }\nsteps: [{ advance: {} }, { sell: { customer: eve } }]',
  );
  const { exitCode, stdout, stderr } = await rehearse(tenant, file);
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr).toContain(`${file} is no rehearsal:`);
  for (const place of ['now: ', 'steps.0.advance: ', 'steps.1.sell.priceKey: '])
    expect(stderr).toContain(`\n  ${place}`);
  expect((await tenant.billing.testClocks.list().page()).items).toEqual([]);
});
