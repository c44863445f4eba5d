import { expect, it } from 'vitest';
import { newLiveProject, newTenant } from '../../system/tenant.ts';
import { ended, exported, runCatalog } from './run-catalog.ts';

const MONTHLY = { key: 'pro_monthly', unitAmount: 2_999, currency: 'usd', interval: 'month' } as const;
const PRO = { key: 'pro', name: 'Pro', prices: [MONTHLY] };
const document = { version: 1 as const, products: [PRO] };

it('applies exactly what a report has shown', async () => {
  const tenant = await newTenant();
  const { sync: report, findings } = await runCatalog(tenant, document, { mode: 'report' });
  expect(findings.map(({ type, key, action, applied }) => [type, key, action, applied])).toEqual([
    ['price', 'pro_monthly', 'create', false],
    ['product', 'pro', 'create', false],
  ]);
  expect(await exported(tenant)).not.toContain('pro_monthly');
  const applied = await runCatalog(tenant, document, { mode: 'apply', reportId: report.id });
  expect(applied.findings.map(finding => [finding.key, finding.applied])).toEqual([
    ['pro_monthly', true],
    ['pro', true],
  ]);
  expect(applied.sync.catalog).toEqual({ prune: false, adopt: false, reportId: report.id });
});

it('does nothing where something was changed since the report, and names it', async () => {
  const tenant = await newTenant();
  const { billing, processor } = tenant;
  await runCatalog(tenant, document, { mode: 'apply' });
  const renamed = { version: 1 as const, products: [{ ...PRO, name: 'Pro Plus' }] };
  const { sync: report } = await runCatalog(tenant, renamed, { mode: 'report' });
  const [product] = (await billing.products.list().page()).items;
  await billing.products.update(product?.id ?? '', { description: 'Everything' });
  const { objects: before } = await processor.ledger();
  const apply = billing.catalog.apply({ catalog: renamed, mode: 'apply', reportId: report.id });
  await expect(apply).rejects.toMatchObject({ status: 409, code: 'catalog_changed', details: { keys: ['pro'] } });
  expect((await processor.ledger()).objects).toEqual(before);
  expect(await exported(tenant)).toContain('Everything');
});

it('refuses a report of another document, one that applies, and an unknown one', async () => {
  const tenant = await newTenant();
  const { sync: report } = await runCatalog(tenant, document, { mode: 'report' });
  const other = { version: 1 as const, products: [] };
  const { billing } = tenant;
  const apply = (catalog: typeof document | typeof other, reportId: string) =>
    billing.catalog.apply({ catalog, mode: 'apply', reportId: reportId });
  await expect(apply(other, report.id)).rejects.toMatchObject({ status: 422, code: 'report_mismatch' });
  const applied = await ended(tenant, await apply(document, report.id));
  await expect(apply(document, applied.id)).rejects.toMatchObject({ status: 422, code: 'report_mismatch' });
  await expect(apply(document, (await newReport()).id)).rejects.toMatchObject({ status: 404, code: 'sync_not_found' });
});

it('wants a report of a live account', async () => {
  const { user, P } = await newLiveProject();
  const apply = (mode: string) => user.post(`${P}/catalog/apply`, { catalog: document, mode });
  const { status, body } = await apply('apply');
  expect([status, body.error.code]).toEqual([422, 'report_required']);
  expect((await apply('report')).status).toBe(202);
});

const newReport = async () => (await runCatalog(await newTenant(), document, { mode: 'report' })).sync;
