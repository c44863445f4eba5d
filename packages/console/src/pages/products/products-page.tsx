import type { Price } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { pricesQuery, productsQuery } from '#api/queries.ts';
import { DataTable } from '#layout/data-table.tsx';
import { SelectFilter, useFilters } from '#layout/filters.tsx';
import { Loading } from '#layout/loading.tsx';
import { Card, Page } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { formatPrice } from '#ui/amount.ts';
import { Badge } from '#ui/badge.tsx';
import { Button } from '#ui/button.tsx';
import { EmptyState } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { ProductDialog } from './product-dialog.tsx';

const SHOWN = { archived: { name: 'Archived' }, all: { name: 'All' } } as const;

export function ProductsPage() {
  const scope = useProject();
  const products = useQuery(productsQuery(scope));
  const { data: prices = [] } = useQuery(pricesQuery(scope));
  const [creating, setCreating] = useState(false);
  const shown = useFilters().oneOf('show', SHOWN);
  const visible = products.data?.filter(({ isActive }) => shown === 'all' || isActive === (shown !== 'archived'));
  const create = (
    <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
      New product
    </Button>
  );
  return (
    <Page title="Products" lead="What you sell, and its prices. Each is also in Stripe." actions={create}>
      <div className="filters">
        <SelectFilter name="show" label="Show" options={SHOWN} all="Active" />
      </div>
      <Card flush>
        <Loading query={products} flush />
        {visible?.length === 0 && (
          <EmptyState
            icon="products"
            title={shown === 'archived' ? 'Nothing is archived' : 'No products yet'}
            action={shown ? undefined : create}
          >
            {shown !== 'archived' &&
              'A product is what a customer buys, for example a plan. Give it a price, and a checkout can sell it.'}
          </EmptyState>
        )}
        {visible && visible.length > 0 && (
          <DataTable
            rows={visible}
            rowKey={({ id }) => id}
            columns={[
              {
                title: 'Product',
                cell: ({ id, name, isActive }) => (
                  <div className="truncate">
                    <ProjectLink page={`products/${id}`} className="primary-cell">
                      <bdi>{name}</bdi>
                    </ProjectLink>{' '}
                    {!isActive && <Badge>Archived</Badge>}
                  </div>
                ),
              },
              {
                title: 'Prices',
                cell: ({ id }) => describePrices(prices.filter(it => it.productId === id && it.isActive)),
              },
              { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
            ]}
          />
        )}
      </Card>
      {creating && <ProductDialog onClose={() => setCreating(false)} />}
    </Page>
  );
}

function describePrices(prices: readonly Price[]): string {
  const [first, second] = prices;
  if (!first) return 'None: it cannot be sold yet';
  if (prices.length > 2) return `${formatPrice(first)} and ${prices.length - 1} more`;
  return second ? `${formatPrice(first)}, ${formatPrice(second)}` : formatPrice(first);
}
