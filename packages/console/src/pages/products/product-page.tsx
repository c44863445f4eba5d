import type { Price, Product } from '@billing/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { pricesQuery } from '#api/queries.ts';
import { Card, Page } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { formatPrice } from '#ui/amount.ts';
import { Badge } from '#ui/badge.tsx';
import { Button } from '#ui/button.tsx';
import { CopyableId } from '#ui/copy.tsx';
import { EmptyState, ErrorState, SkeletonLines } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { useToasts } from '#ui/toasts.tsx';
import { PriceDialog } from './price-dialog.tsx';
import { ProductDialog } from './product-dialog.tsx';

const UP = { page: 'products', title: 'Products' } as const;

export function ProductPage() {
  const scope = useProject();
  const { productId = '' } = useParams({ strict: false });
  const {
    data: product,
    error,
    refetch,
  } = useQuery({
    queryKey: scope.key('products', productId),
    queryFn: ({ signal }) => scope.billing.products.get(productId, { signal }),
  });
  const { data: prices } = useQuery(pricesQuery(scope));
  const [dialog, setDialog] = useState<'edit' | 'price'>();
  const archive = useArchive();
  const close = () => setDialog(undefined);

  if (error && !product)
    return (
      <Page title="Product" up={UP}>
        <ErrorState error={error} onRetry={() => void refetch()} />
      </Page>
    );
  if (!product)
    return (
      <Page title="Product" up={UP}>
        <SkeletonLines />
      </Page>
    );
  return (
    <Page
      title={product.name}
      lead={product.description}
      up={UP}
      actions={
        <>
          <Button onClick={() => setDialog('edit')}>Edit</Button>
          <Button busy={archive.isPending} onClick={() => archive.mutate({ product })}>
            {product.isActive ? 'Archive' : 'Activate'}
          </Button>
        </>
      }
    >
      {!product.isActive && (
        <div className="notice">This product is archived: no checkout sells it. Subscriptions to it go on.</div>
      )}
      <Card
        title="Prices"
        flush
        actions={
          product.isActive && (
            <Button small icon="plus" onClick={() => setDialog('price')}>
              New price
            </Button>
          )
        }
      >
        <PriceTable
          prices={prices?.filter(price => price.productId === product.id)}
          archive={price => archive.mutate({ price })}
        />
      </Card>
      <Card title="Details">
        <dl className="details">
          <dt>Id</dt>
          <dd>
            <CopyableId id={product.id} />
          </dd>
          <dt>Stripe id</dt>
          <dd>
            <CopyableId id={product.processorProductId} />
          </dd>
          <dt>Created</dt>
          <dd>
            <Time at={product.createdAt} show="time" />
          </dd>
        </dl>
      </Card>
      {dialog === 'edit' && <ProductDialog product={product} onClose={close} />}
      {dialog === 'price' && <PriceDialog productId={product.id} onClose={close} />}
    </Page>
  );
}

function PriceTable({
  prices,
  archive,
}: {
  readonly prices: readonly Price[] | undefined;
  readonly archive: (price: Price) => void;
}) {
  if (!prices)
    return (
      <div className="card-body">
        <SkeletonLines lines={2} />
      </div>
    );
  if (prices.length === 0)
    return (
      <EmptyState icon="payments" title="No price yet">
        A checkout needs a price: an amount, and how often it is billed.
      </EmptyState>
    );
  return (
    <div className="table-wrap">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Price</th>
            <th scope="col" className="wide">
              Id
            </th>
            <th scope="col" className="end">
              Actions
            </th>
          </tr>
        </thead>
        <tbody>
          {prices.map(price => (
            <tr key={price.id}>
              <td>
                <ProjectLink page="subscriptions" search={{ priceId: price.id }} className="primary-cell">
                  {formatPrice(price)}
                </ProjectLink>{' '}
                {!price.isActive && <Badge>Archived</Badge>}
              </td>
              <td className="wide">
                <CopyableId id={price.id} />
              </td>
              <td className="end">
                <Button small onClick={() => archive(price)}>
                  {price.isActive ? 'Archive' : 'Activate'}
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Archives a product or a price, or activates it again. */
function useArchive() {
  const { billing, key } = useProject();
  const queryClient = useQueryClient();
  const toasts = useToasts();
  return useMutation({
    mutationFn: async ({ product, price }: { readonly product?: Product; readonly price?: Price }) => {
      if (product) await billing.products.update(product.id, { isActive: !product.isActive });
      if (price) await billing.prices.update(price.id, { isActive: !price.isActive });
    },
    onSuccess: () => toasts.done('Changed, here and in Stripe.'),
    onError: error => toasts.failed('Nothing was changed.', error),
    onSettled: () =>
      Promise.all(['products', 'prices'].map(name => queryClient.invalidateQueries({ queryKey: key(name) }))),
  });
}
