import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildPackage } from '../build/build-package.ts';

const run = promisify(execFile);
const KEY = randomBytes(32);
/** Verifies a webhook that is signed here, and prints its type. */
const VERIFY = `
  const body = '{"type":"ping"}', at = String(Math.floor(Date.now() / 1_000));
  const headers = { 'webhook-id': 'ev_1', 'webhook-timestamp': at, 'webhook-signature': sign(\`ev_1.\${at}.\${body}\`) };
  const client = new BillingClient({ baseUrl: 'http://localhost', teamId: 'team_1', projectId: 'proj_1' });
  verifyWebhook(body, headers, 'whsec_${KEY.toString('base64')}').then(({ type }) => console.log(type, typeof client.customers.list));`;
const SIGN = `const sign = text => 'v1,' + createHmac('sha256', Buffer.from('${KEY.toString('hex')}', 'hex')).update(text).digest('base64');`;

/** A project that has installed the package. */
let project: string;
const file = (name: string) => join(project, name);

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'billing-client-'));
  await buildPackage(file('node_modules/@billing/client'));
});
afterAll(() => rm(project, { recursive: true }));

it.each([
  [
    'use.cjs',
    `const { createHmac } = require('node:crypto'); const { BillingClient, verifyWebhook } = require('@billing/client');`,
  ],
  [
    'use.mjs',
    `import { createHmac } from 'node:crypto'; import { BillingClient, verifyWebhook } from '@billing/client';`,
  ],
])('runs in %s', async (name, imports) => {
  await writeFile(file(name), imports + SIGN + VERIFY);
  // As in Jest and older Node: `require` gets no ES module.
  expect((await run(process.execPath, ['--no-require-module', file(name)])).stdout).toBe('ping function\n');
});

it('has types for both kinds of modules', async () => {
  const use = `
    import { BillingClient, BillingError, type Customer } from '@billing/client';
    export const find = async (billing: BillingClient): Promise<Customer> => billing.customers.get('pc_1');
    export const isOurs = (err: unknown): boolean => err instanceof BillingError && err.code === 'customer_not_found';`;
  const files = [file('types.cts'), file('types.mts')];
  await Promise.all(files.map(name => writeFile(name, use)));
  const options = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--module',
    'node16',
    '--lib',
    'es2024,dom',
    '--types',
    '',
  ];
  // A compiler error is in the stdout that a failing test prints.
  await expect(run('tsc', [...options, ...files])).resolves.toMatchObject({ stdout: '' });
});

it('is bundled for browsers and the edge, without a warning and without a module of Node', async () => {
  const warnings: unknown[] = [];
  const input = file('entry.mjs');
  await writeFile(input, `export * from '@billing/client';`);
  await using bundle = await rolldown({ input, platform: 'browser', onLog: (_level, log) => void warnings.push(log) });
  const { output } = await bundle.generate();
  expect(warnings).toEqual([]);
  expect(output).toHaveLength(1);
  expect(output[0]).toMatchObject({ imports: [], dynamicImports: [] });
  // Webpack warns about an import of what is only known at run time.
  expect(output[0].code).not.toMatch(/\bimport\(|\brequire\(|["']node:/);
});
