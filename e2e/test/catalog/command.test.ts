import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newMonthlyPrice, newSiblingProject, newTenant, type Tenant } from '../../system/tenant.ts';

const MAIN = join(import.meta.dirname, '../../../tools/sync/src/catalog/main.ts');

/** Runs the command for a project, as a developer or a workflow does. */
function run({ teamId, projectId, secret, gatewayUrl }: Tenant, ...args: readonly string[]) {
  const project = ['--team', teamId, '--project', projectId, '--url', gatewayUrl];
  const env = { ...process.env, BILLING_API_KEY: secret };
  return new Promise<{ exitCode: number; stdout: string; stderr: string }>(resolve => {
    execFile(process.execPath, [MAIN, ...args, ...project], { env }, (error, stdout, stderr) =>
      resolve({ exitCode: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
    );
  });
}

async function newFile() {
  const folder = await mkdtemp(join(tmpdir(), 'billing-catalog-'));
  return { path: join(folder, 'catalog.json'), [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

const DOCUMENT = {
  version: 1,
  features: [{ key: 'seats', name: 'Seats', type: 'limit' }],
  products: [
    {
      key: 'pro',
      name: 'Pro',
      features: { seats: { value: 5 } },
      prices: [{ key: 'pro_monthly', unitAmount: 2999, currency: 'usd', interval: 'month' }],
    },
  ],
};

it('plans, applies and pulls a document, with exit codes that say what is left', async () => {
  const tenant = await newTenant();
  await using file = await newFile();
  await writeFile(file.path, JSON.stringify(DOCUMENT));

  const planned = await run(tenant, 'plan', file.path);
  expect(planned).toMatchObject({ exitCode: 2, stderr: '' });
  expect(planned.stdout).toMatch(/^ {2}\+ pro_monthly$/m);
  const report = /Report: (sync_\S+)/.exec(planned.stdout)?.[1] ?? '';

  const applied = await run(tenant, 'apply', file.path, '--report', report);
  expect(applied).toMatchObject({ exitCode: 0, stderr: '' });
  expect(applied.stdout).toContain('3 applied, 0 not applied.');
  expect(await run(tenant, 'plan', file.path)).toMatchObject({ exitCode: 0 });

  await run(tenant, 'pull', file.path);
  const { catalog } = await tenant.billing.catalog.export();
  expect(await readFile(file.path, 'utf8')).toBe(`${JSON.stringify(catalog, null, 2)}\n`);
  expect((await run(tenant, 'pull', file.path)).stdout).toContain('is up to date');
  expect(await run(tenant, 'apply', file.path)).toMatchObject({ exitCode: 0 });

  const sibling = await newSiblingProject(tenant);
  const copied = await run(sibling, 'apply', file.path);
  expect(copied.stdout + copied.stderr).toContain('3 applied, 0 not applied.');
});

it('refuses a report of another catalog, and names every wrong place of a file', async () => {
  const tenant = await newTenant();
  await using file = await newFile();
  await writeFile(file.path, JSON.stringify(DOCUMENT));
  const { stdout } = await run(tenant, 'plan', file.path);
  const report = /Report: (sync_\S+)/.exec(stdout)?.[1] ?? '';
  await tenant.billing.features.create({ key: 'seats', name: 'Places', type: 'limit' });
  const refused = await run(tenant, 'apply', file.path, '--report', report);
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
  expect(refused.stderr).toContain('changed since the report; make another one. (seats)');

  await writeFile(file.path, '{"version":1,"features":[{"key":"A"}],"products":[{"key":"p","name":""}]}');
  const invalid = await run(tenant, 'plan', file.path);
  expect(invalid.exitCode).toBe(1);
  for (const place of ['features.0.key: ', 'features.0.name: ', 'features.0.type: ', 'products.0.name: '])
    expect(invalid.stderr).toContain(`\n  ${place}`);
});

it('proposes keys for what has none, and says what an apply cannot do', async () => {
  const tenant = await newTenant();
  await using file = await newFile();
  const { productId, priceId } = await newMonthlyPrice(tenant);
  const pulled = await run(tenant, 'pull', file.path, '--adopt');
  expect(pulled.stdout).toMatch(/\+ price \w+_monthly_usd /);

  const withoutAdopt = await run(tenant, 'apply', file.path);
  expect(withoutAdopt.exitCode).toBe(1);
  expect(withoutAdopt.stdout).toContain('conflict twin: ');

  const adopted = await run(tenant, 'apply', file.path, '--adopt');
  expect(adopted.stdout + adopted.stderr).toContain('2 applied, 0 not applied.');
  expect((await tenant.billing.products.get(productId)).key).toBeTruthy();
  expect((await tenant.billing.prices.get(priceId)).key).toMatch(/_monthly_usd$/);
  expect(await run(tenant, 'plan', file.path)).toMatchObject({ exitCode: 0 });
});
