import type { Price } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { pricesQuery } from '#api/queries.ts';
import { DataTable } from '#layout/data-table.tsx';
import { LoadingPage } from '#layout/loading.tsx';
import { Card, Page } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { formatPrice } from '#ui/amount.ts';
import { Badge } from '#ui/badge.tsx';
import { Button } from '#ui/button.tsx';
import { CopyableId } from '#ui/copy.tsx';
import { Details, MetadataRows } from '#ui/details.tsx';
import { Notice } from '#ui/notice.tsx';
import { OpenInStripe, StripeId } from '#ui/open-in-stripe.tsx';
import { EmptyState, SkeletonLines } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { GivenCard } from '../features/given-card.tsx';
import { ArchiveButton } from './archive-button.tsx';
import { PriceDialog, PriceMetadataDialog } from './price-dialog.tsx';
import { ProductDialog } from './product-dialog.tsx';

const UP = { page: 'products', title: 'Products' } as const;

export function ProductPage() {
  const scope = useProject();
  const { productId = '' } = useParams({ strict: false });
  const query = useQuery({
    queryKey: scope.key('products', productId),
    queryFn: ({ signal }) => scope.billing.products.get(productId, { signal }),
  });
  const { data: prices } = useQuery(pricesQuery(scope));
  const [dialog, setDialog] = useState<'edit' | 'price' | Price>();
  const close = () => setDialog(undefined);

  const { data: product } = query;
  if (!product) return <LoadingPage query={query} title="Product" up={UP} />;
  return (
    <Page
      title={product.name}
      lead={product.description}
      up={UP}
      actions={
        <>
          <OpenInStripe id={product.processorProductId} />
          <Button onClick={() => setDialog('edit')}>Edit</Button>
          <ArchiveButton sold={product} name={product.name} />
        </>
      }
    >
      {!product.isActive && <Notice>This product is archived: no checkout sells it. Subscriptions to it go on.</Notice>}
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
        <PriceTable prices={prices?.filter(price => price.productId === product.id)} edit={setDialog} />
      </Card>
      <GivenCard of={{ productId }} />
      <Card title="Details">
        <Details
          of={{
            Id: <CopyableId id={product.id} />,
            'Stripe id': <StripeId id={product.processorProductId} what="the product" />,
            Created: <Time at={product.createdAt} show="time" />,
          }}
        >
          <MetadataRows metadata={product.metadata} />
        </Details>
      </Card>
      {dialog === 'edit' && <ProductDialog product={product} onClose={close} />}
      {dialog === 'price' && <PriceDialog productId={product.id} onClose={close} />}
      {typeof dialog === 'object' && <PriceMetadataDialog price={dialog} onClose={close} />}
    </Page>
  );
}

function PriceTable({
  prices,
  edit,
}: {
  readonly prices: readonly Price[] | undefined;
  readonly edit: (price: Price) => void;
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
    <DataTable
      rows={prices}
      rowKey={({ id }) => id}
      columns={[
        {
          title: 'Price',
          cell: price => (
            <>
              <ProjectLink page="subscriptions" search={{ priceId: price.id }} className="primary-cell">
                {formatPrice(price)}
              </ProjectLink>{' '}
              {!price.isActive && <Badge>Archived</Badge>} <OpenInStripe id={price.processorPriceId} what="the price" />
            </>
          ),
        },
        { title: 'Id', cell: ({ id }) => <CopyableId id={id} /> },
        {
          title: 'Actions',
          end: true,
          cell: price => (
            <div className="row">
              <Button small onClick={() => edit(price)}>
                Edit
              </Button>
              {price.type === 'recurring' && (
                <ProjectLink page="price-migrations" search={{ from: price.id }} className="button small">
                  Replace…
                </ProjectLink>
              )}
              <ArchiveButton sold={price} name={formatPrice(price)} small />
            </div>
          ),
        },
      ]}
    />
  );
}
