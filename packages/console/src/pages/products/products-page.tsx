import type { Price } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { pricesQuery, productsQuery } from '#api/queries.ts';
import { SelectFilter, useFilters } from '#layout/filters.tsx';
import { Card, Page } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { useCreate } from '#resource/dialog-button.tsx';
import { QueryTable } from '#resource/tables.tsx';
import { formatPrice } from '#ui/amount.ts';
import { Badge } from '#ui/badge.tsx';
import { EmptyState } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { NewProductDialog } from './new-product-dialog.tsx';

const SHOWN = { archived: { name: 'Archived' }, all: { name: 'All' } } as const;

export function ProductsPage() {
  const scope = useProject();
  const products = useQuery(productsQuery(scope));
  const { data: prices = [] } = useQuery(pricesQuery(scope));
  const shown = useFilters().oneOf('show', SHOWN);
  const create = useCreate('New product', <NewProductDialog />);
  return (
    <Page
      title="Products"
      lead="What you sell, and its prices. Each is also in Stripe."
      actions={
        <>
          <ProjectLink page="products/compare" className="button">
            Compare
          </ProjectLink>
          {create.button}
        </>
      }
    >
      <div className="filters">
        <SelectFilter name="show" label="Show" options={SHOWN} all="Active" />
      </div>
      <Card flush>
        <QueryTable
          queries={[products]}
          rows={products.data?.filter(({ isActive }) => shown === 'all' || isActive === (shown !== 'archived'))}
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
            { title: 'Created', width: 'date', cell: ({ createdAt }) => <Time at={createdAt} /> },
          ]}
          empty={
            <EmptyState
              icon="products"
              title={shown === 'archived' ? 'Nothing is archived' : 'No products yet'}
              action={shown ? undefined : create.button}
            >
              {shown !== 'archived' &&
                'A product is what a customer buys, for example a plan. Give it a price, and a checkout can sell it.'}
            </EmptyState>
          }
        />
      </Card>
      {create.dialog}
    </Page>
  );
}

function describePrices(prices: readonly Price[]): string {
  const [first, second] = prices;
  if (!first) return 'None: it cannot be sold yet';
  if (prices.length > 2) return `${formatPrice(first)} and ${prices.length - 1} more`;
  return second ? `${formatPrice(first)}, ${formatPrice(second)}` : formatPrice(first);
}
