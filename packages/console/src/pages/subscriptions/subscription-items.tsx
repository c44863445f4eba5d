import type { Subscription } from '@billing/client';
import { useProductNames } from '#api/use-product-names.ts';
import { DataTable } from '#layout/data-table.tsx';
import type { Column } from '#layout/list-table.tsx';
import { Card } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { formatPrice } from '#ui/amount.ts';
import { Badge } from '#ui/badge.tsx';
import { OpenInStripe } from '#ui/open-in-stripe.tsx';
import { ProductNames } from '../products/product-name.tsx';

type Item = Subscription['items'][number];

const COLUMNS: readonly Column<Item>[] = [
  { title: 'Product', cell: item => <ItemProduct item={item} /> },
  { title: 'Price', cell: item => <span className="num">{formatPrice(item)}</span> },
  { title: 'Quantity', end: true, cell: item => (item.usageType === 'metered' ? 'By usage' : item.quantity) },
];

/** What a subscription bills together. */
export const SubscriptionItems = ({ subscription: { items } }: { readonly subscription: Subscription }) => (
  <Card title={items.length === 1 ? 'Item' : 'Items'} flush>
    <DataTable rows={items} rowKey={({ processorPriceId }) => processorPriceId} columns={COLUMNS} />
  </Card>
);

function ItemProduct({ item }: { readonly item: Item }) {
  const product = useProductNames().productOf(item.priceId);
  return (
    <span className="row">
      {product ? (
        <ProjectLink page={`products/${product.id}`} className="primary-cell">
          <ProductNames items={[item]} />
        </ProjectLink>
      ) : (
        <ProductNames items={[item]} />
      )}
      {product?.isActive === false && <Badge>Archived</Badge>}
      <OpenInStripe id={item.processorPriceId} what="the price" />
    </span>
  );
}
