import { expect, it } from 'vitest';
import { newTenant } from '../../system/tenant.ts';
import { CATALOG, exported, runCatalog } from './run-catalog.ts';

it('makes an empty project equal to a document, and another one in another account equal to that, to the byte', async () => {
  const [first, second] = [await newTenant(), await newTenant()];
  const made = await runCatalog(first, CATALOG, { mode: 'apply' });
  expect(made.findings.filter(({ applied }) => !applied)).toEqual([]);
  const document = await exported(first);
  expect(JSON.parse(document)).toMatchObject(CATALOG);

  await runCatalog(second, JSON.parse(document), { mode: 'apply' });
  expect(await exported(second)).toBe(document);

  const { objects: before } = await second.processor.ledger();
  const again = await runCatalog(second, JSON.parse(document), { mode: 'apply' });
  expect(again.findings).toEqual([]);
  expect((await second.processor.ledger()).objects).toEqual(before);
  expect((await runCatalog(second, JSON.parse(document), { mode: 'report' })).findings).toEqual([]);
});
