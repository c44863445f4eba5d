import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { isWithoutBrowser } from '@billing/testing/browser';
import { waitFor } from '@billing/testing/wait-for';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { findFreePort } from '@billing/embedded-servers/free-port';
import { openWindow } from '../system/browser.ts';
import { newCustomer, newMonthlyPrice, newTenant, waitForActiveSubscription, type Tenant } from '../system/tenant.ts';

const ROOT = join(import.meta.dirname, '../..');
const PROJECT_NODE = join(ROOT, 'node_modules/.bin');
/** The machine's own Node if there is one, which is older than the project's. */
const MACHINE_NODE = existsSync('/usr/bin/node') ? '/usr/bin' : PROJECT_NODE;

const CHECKED = `
import { BillingClient, BillingError, formatMoney, verifyWebhook } from '@billing/client';
import type { BillingEvent, Customer, FieldError, Invoice, PriceCreate, ReceivedEvent } from '@billing/client';
const billing = new BillingClient({ baseUrl: 'http://localhost', teamId: 'team_1', projectId: 'proj_1' });
const { id }: Customer = await billing.customers.get('pc_1');
const customerId: \`pc_\${string}\` = id;
for await (const { status } of billing.subscriptions.list({ customerId })) status satisfies 'active' | string;
export const fieldsOf = (error: unknown): readonly FieldError[] => (error instanceof BillingError ? error.fields : []);
export const amount: string = formatMoney(2999, 'usd', 'en');
export const once: PriceCreate = { productId: 'pp_1', unitAmount: 100, currency: 'usd', type: 'one_time' };
// @ts-expect-error a recurring price needs an interval
export const recurring: PriceCreate = { productId: 'pp_1', unitAmount: 100, currency: 'usd' };
// @ts-expect-error no such status
billing.invoices.list({ status: 'paied' });
for await (const event of billing.events.list({ types: ['invoice.paid'] })) event satisfies BillingEvent;
const received: ReceivedEvent = await verifyWebhook('{}', new Headers(), 'whsec_');
if (received.type === 'invoice.paid' && !received.truncated) received.data satisfies Omit<Invoice, 'customerTaxIds' | 'purchaseOrder'>;
// @ts-expect-error no such type
if (received.type === 'invoice.paied') throw received;
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'billing-client-'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const [install = ''] = await readmeBlocks('sh');
  await bash(install.replaceAll('../billing', ROOT), PROJECT_NODE);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('installs nothing but the client’s own files', async () => {
  const packages = (await readdir(join(folder, 'node_modules'), { recursive: true })).filter(isPackage);
  expect(packages.toSorted()).toEqual(['@billing/client/cjs/package.json', '@billing/client/package.json']);
  const installed = join(folder, 'node_modules/@billing/client');
  const files = await readdir(installed, { recursive: true });
  expect(files).toContain('index.d.ts');
  const own = /^(?:README\.md|cjs|(?:cjs\/)?(?:package\.json|[\w-]+\.js|[\w-]+\.d\.ts))$/;
  expect(files.filter(name => !own.test(name))).toEqual([]);
  expect(JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))).not.toHaveProperty('dependencies');
});

it.each([
  ['nodenext', 'nodenext'],
  ['bundler', 'esnext'],
])('type-checks with moduleResolution %s', async (moduleResolution, module) => {
  await writeFile(join(folder, 'check.ts'), CHECKED);
  const compilerOptions = { moduleResolution, module, target: 'es2022', lib: ['es2022', 'dom'], types: [] };
  const options = { ...compilerOptions, strict: true, noEmit: true, skipLibCheck: false };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['check.ts'] }));
  // A compiler error is in the stdout that a failing test prints.
  await expect(bash('tsc', PROJECT_NODE)).resolves.toBe('');
});

it('makes the first checkout as the README prints it', async () => {
  const { secret, teamId, projectId, billing } = await newTenant();
  const [script = ''] = await readmeBlocks('js');
  const [, start = ''] = await readmeBlocks('sh');
  const here = (text: string) =>
    text
      .replace('http://localhost:8080', inject('gatewayUrl'))
      .replace('bil_test_…', secret)
      .replace('team_…', teamId)
      .replace('proj_…', projectId);
  await writeFile(join(folder, 'first-checkout.mjs'), here(script));

  const [, checkoutUrl = ''] = /^Send the customer to (http\S+)$/m.exec(await bash(here(start), MACHINE_NODE)) ?? [];
  expect((await fetch(checkoutUrl)).status).toBe(200);
  expect(await Array.fromAsync(billing.products.list(), ({ name }) => name)).toEqual(['Pro']);
});

it('verifies its first events as the README prints it', async () => {
  const tenant = await newTenant();
  const { secret, billing } = tenant;
  await saveExample('first-event.mjs', tenant, await findFreePort());
  const env = { ...process.env, BILLING_API_KEY: secret };
  const receive = async () => {
    await using receiver = startScript('first-event.mjs', env);
    const untilPrinted = (text: string) =>
      waitFor(() => receiver.printed().includes(text) || Promise.reject(new Error(receiver.printed())), {
        what: `"${text}" to be printed`,
      });
    await untilPrinted('ping whe_');
    const { id } = await billing.products.create({ name: 'Pro' });
    await untilPrinted(`product.created ${id}`);
    expect(receiver.printed().trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^ping whe_/),
      `product.created ${id}`,
    ]);
  };
  await receive();
  await receive(); // without the endpoint of the first run, whose secret is lost
  expect((await billing.webhookEndpoints.list().page()).items).toHaveLength(1);
});

it('lets in who may, as the README prints it', async () => {
  const tenant = await newTenant();
  const { secret, billing } = tenant;
  const { id } = await billing.customers.create({ email: 'ada@example.com', externalId: 'ada' });
  await billing.features.create({ key: 'seats', name: 'Seats', type: 'limit' });
  const port = await findFreePort();
  await saveExample('may-use.mjs', tenant, port);
  const visit = async () => {
    await using product = startScript('may-use.mjs', { ...process.env, BILLING_API_KEY: secret });
    const response = await waitFor(() => fetch(`http://127.0.0.1:${port}`).catch(() => undefined), {
      what: `the product to be up: ${product.printed()}`,
    });
    return [response.status, await response.text()];
  };
  const knows = (value: number | null) => async () =>
    (await billing.states.check(id, 'seats').catch(() => undefined))?.value === value;
  await waitFor(knows(null), { what: 'the feature to be known' });
  expect(await visit()).toEqual([402, 'Subscribe first\n']);
  await billing.grants.set(id, 'seats', { value: 5 });
  await waitFor(knows(5), { what: 'the grant to count' });
  expect(await visit()).toEqual([200, 'Up to 5 people\n']);
});

it.skipIf(isWithoutBrowser())('is paid inside a page of the shop, as the README prints it', async () => {
  const tenant = await newTenant();
  const { secret, teamId, projectId, gatewayUrl } = tenant;
  const [{ priceId }, customerId] = [await newMonthlyPrice(tenant), await newCustomer(tenant)];
  await saveExample('embedded-checkout.mjs', tenant, await findFreePort());
  const scope = { BILLING_URL: gatewayUrl, TEAM: teamId, PROJECT: projectId };
  const sale = { CUSTOMER: customerId, PRICE: priceId, PORT: String(await findFreePort()) };
  const script = { STRIPE_JS: `${inject('processorUrl')}/stripe.js` };
  const env = { ...process.env, BILLING_API_KEY: secret, ...scope, ...sale, ...script };
  await using shop = startScript('embedded-checkout.mjs', env);
  const address = await waitFor(() => /http:\S+/.exec(shop.printed())?.[0], { what: 'the shop to be open' });
  await using browser = await openWindow();
  const page = await browser.newPage();
  await page.goto(address);
  const checkout = page.frameLocator('#checkout iframe');
  await checkout.getByRole('button', { name: 'Decline' }).click();
  await checkout.getByText(/declined/).waitFor();
  await checkout.getByRole('button', { name: 'Pay' }).click();
  await page.getByText('Thank you').waitFor();
  expect(page.url()).toMatch(/done\?session=cs_test_/);
  await waitForActiveSubscription(tenant, customerId);
});

/** Saves an example in the temporary project, for a tenant and with a port of its own. */
async function saveExample(name: string, { teamId, projectId, gatewayUrl }: Tenant, port: number): Promise<void> {
  const script = await readFile(join(ROOT, 'packages/client/examples', name), 'utf8');
  const here = script
    .replace('http://localhost:8080', gatewayUrl)
    .replace('team_…', teamId)
    .replace('proj_…', projectId)
    .replaceAll(/300[01]/g, String(port));
  await writeFile(join(folder, name), here);
}

/** Starts a script in the temporary project, until it is disposed of. */
function startScript(name: string, env: NodeJS.ProcessEnv) {
  const script = spawn(join(MACHINE_NODE, 'node'), [name], { cwd: folder, env });
  const ended = new Promise(resolve => script.once('close', resolve));
  let printed = '';
  for (const stream of [script.stdout, script.stderr]) stream.on('data', data => (printed += String(data)));
  return {
    printed: () => printed,
    async [Symbol.asyncDispose]() {
      script.kill();
      await ended;
    },
  };
}

const isPackage = (file: string): boolean => file.endsWith('package.json');

/** Returns the code blocks of a language in the README's section about the first checkout. */
async function readmeBlocks(language: string): Promise<string[]> {
  const readme = await readFile(join(ROOT, 'packages/client/README.md'), 'utf8');
  const [, section = ''] = /## Ten lines to the first checkout\n([\s\S]*?)\n## /.exec(readme) ?? [];
  return [...section.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, block]) =>
    String(block),
  );
}

/** Runs commands in the temporary project, without a network and with the `node` of a folder. Returns what they print. */
async function bash(commands: string, nodeFolder: string): Promise<string> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^npm_|^NODE_/i.test(name));
  const PATH = [nodeFolder, process.env['PATH']].join(delimiter);
  const env = { ...Object.fromEntries(inherited), PATH, npm_config_offline: 'true', npm_config_audit: 'false' };
  const options = { cwd: folder, env };
  return (await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', commands], options)).stdout;
}
