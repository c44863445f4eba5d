import { expect, it } from 'vitest';
import { portalLinks } from './portal-links.ts';

it('links to pages by their path, and from elsewhere by the public address', () => {
  const links = portalLinks('https://example.com', 'TOKEN');
  expect(links.absolute(links.page)).toBe('https://example.com/portal/TOKEN');
  expect(links.api).toBe('/api/portal/TOKEN');
  expect(links.tab('invoices', { page: 2, notice: 'resumed' })).toBe(
    '/portal/TOKEN?tab=invoices&page=2&notice=resumed',
  );
});
