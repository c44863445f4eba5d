import { expect, it } from 'vitest';
import { portalLinks } from './portal-links.ts';

it('keeps the path of the public address in every link', () => {
  const links = portalLinks('https://example.com/billing/', 'TOKEN');
  expect(links.absolute(links.page)).toBe('https://example.com/billing/portal/TOKEN');
  expect(links.api).toBe('/billing/api/portal/TOKEN');
  expect(links.tab('invoices', { page: 2, notice: 'resumed' })).toBe(
    '/billing/portal/TOKEN?tab=invoices&page=2&notice=resumed',
  );
});
