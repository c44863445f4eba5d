import type { Analytics, Price, Product } from '@billing/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ProjectScope, useProject } from '#api/project.ts';
import { pricesQuery } from '#api/queries.ts';
import { LoadingPage } from '#layout/loading.tsx';
import { Card, Page } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { SwitchButton } from '#layout/switch-button.tsx';
import { DialogButton } from '#resource/dialog-button.tsx';
import { choice, control, metadata } from '#resource/fields.tsx';
import { QueryTable } from '#resource/tables.tsx';
import { wordsOf, WriteDialog } from '#resource/write-dialogs.tsx';
import { formatCount, formatPrice } from '#ui/amount.ts';
import { Badge } from '#ui/badge.tsx';
import { CopyableId } from '#ui/copy.tsx';
import { Details, MetadataRows } from '#ui/details.tsx';
import { textOf } from '#ui/form.tsx';
import { changedMetadata, metadataOf } from '#ui/metadata-fields.tsx';
import { formatMoney } from '#ui/money.ts';
import { Notice } from '#ui/notice.tsx';
import { OpenInStripe, StripeId } from '#ui/open-in-stripe.tsx';
import { EmptyState } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { GivenCard } from '../features/given-card.tsx';
import { KEY_REFUSALS, keyField, keyOf } from './key-field.ts';
import { OtherCurrencies, otherCurrenciesOf } from './other-currencies.tsx';
import { PRICE_FIELDS, PriceFields, readPrice, TAX_BEHAVIORS } from './price-fields.tsx';
import { ProductDialog } from './product-dialog.tsx';

const UP = { page: 'products', title: 'Products' } as const;

export function ProductPage() {
  const scope = useProject();
  const { productId = '' } = useParams({ strict: false });
  const query = useQuery({
    queryKey: scope.key('products', productId),
    queryFn: ({ signal }) => scope.billing.products.get(productId, { signal }),
  });
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
          <DialogButton dialog={<ProductDialog product={product} />}>Edit</DialogButton>
          <ArchiveButton sold={product} name={product.name} />
        </>
      }
    >
      {!product.isActive && <Notice>This product is archived: no checkout sells it. Subscriptions to it go on.</Notice>}
      <PricesCard product={product} />
      <GivenCard of={{ productId }} />
      <Card title="Details">
        <Details
          of={{
            Key: product.key && <CopyableId id={product.key} />,
            Id: <CopyableId id={product.id} />,
            'Stripe id': <StripeId id={product.processorProductId} what="the product" />,
            Unit: product.unitLabel,
            'Tax code': product.taxCode,
            Created: <Time at={product.createdAt} show="time" />,
          }}
        >
          <MetadataRows metadata={product.metadata} />
        </Details>
      </Card>
    </Page>
  );
}

function PricesCard({ product: { id, isActive } }: { readonly product: Product }) {
  const scope = useProject();
  const prices = useQuery(pricesQuery(scope));
  const { data: revenue } = useQuery(revenueQuery(scope));
  const create = (
    <DialogButton small icon="plus" dialog={<PriceDialog productId={id} />}>
      New price
    </DialogButton>
  );
  return (
    <Card title="Prices" flush actions={isActive && create}>
      <QueryTable
        queries={[prices]}
        lines={2}
        rows={prices.data?.filter(price => price.productId === id)}
        rowKey={price => price.id}
        columns={[
          {
            title: 'Price',
            cell: price => (
              <>
                <ProjectLink page="subscriptions" search={{ priceId: price.id }} className="primary-cell">
                  {formatPrice(price)}
                </ProjectLink>{' '}
                {price.taxBehavior !== 'unspecified' && <Badge>{TAX_BEHAVIORS[price.taxBehavior]}</Badge>}{' '}
                {!price.isActive && <Badge>Archived</Badge>}{' '}
                <OpenInStripe id={price.processorPriceId} what="the price" />
              </>
            ),
          },
          {
            title: 'Subscribers',
            width: 'count',
            end: true,
            cell: ({ id: priceId }) => revenue && formatCount(revenue.get(priceId)?.subscriptions ?? 0),
          },
          {
            title: 'MRR',
            width: 'money',
            end: true,
            cell: price => revenue && revenueText(price, revenue.get(price.id)),
          },
          { title: 'Key', isSpare: true, cell: ({ key }) => key && <CopyableId id={key} /> },
          { title: 'Id', isSpare: true, cell: price => <CopyableId id={price.id} /> },
          {
            title: 'Actions',
            width: 250,
            end: true,
            cell: price => (
              <div className="row">
                <DialogButton small dialog={<EditPriceDialog price={price} />}>
                  Edit
                </DialogButton>
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
        empty={
          <EmptyState icon="payments" title="No price yet">
            A checkout needs a price: an amount, and how often it is billed.
          </EmptyState>
        }
      />
    </Card>
  );
}

/** What the active and trialing subscriptions of each price add to monthly revenue. */
const revenueQuery = ({ billing, key }: ProjectScope) =>
  queryOptions({
    queryKey: key('analytics', 'by-price'),
    queryFn: async ({ signal }) => {
      const { mrrByPrice } = await billing.analytics.get({}, { signal });
      return new Map<string, PriceRevenue>(mrrByPrice.map(one => [one.priceId, one]));
    },
    staleTime: 15_000,
  });
type PriceRevenue = Analytics['mrrByPrice'][number];

function revenueText({ currency }: Price, revenue: PriceRevenue | undefined): string {
  const sums = Object.entries(revenue?.mrr ?? { [currency]: 0 });
  return sums.map(([of, amount]) => formatMoney(amount, of)).join(', ') || '–';
}

interface ArchiveButtonProps {
  readonly sold: Product | Price;
  readonly name: string;
  readonly small?: boolean;
}

/** Archives a product or a price, or activates it again. */
function ArchiveButton({ sold: { id, isActive, ...sold }, name, ...size }: ArchiveButtonProps) {
  const { billing, key } = useProject();
  const noun = 'productId' in sold ? 'price' : 'product';
  return (
    <SwitchButton
      noun={noun}
      isActive={isActive}
      off="Archive"
      write={to => billing[`${noun}s`].update(id, { isActive: to })}
      stale={[key('products'), key('prices')]}
      done="Changed, here and in Stripe."
      {...size}
    >
      No checkout sells <bdi>{name}</bdi> any more, here and in Stripe. Subscriptions to it go on, and it can be
      activated again.
    </SwitchButton>
  );
}

/** Creates a price of a product. */
function PriceDialog({ productId }: { readonly productId: string }) {
  const { billing, key } = useProject();
  return (
    <WriteDialog
      {...wordsOf('price', true)}
      lead="The amounts of a price never change. To charge another one, create another price and archive this one: subscriptions keep theirs."
      write={async fields =>
        billing.prices.create({ ...readPrice(fields, productId), ...keyOf(fields), metadata: metadataOf(fields) })
      }
      stale={[key('prices')]}
      done="The price is created, here and in Stripe."
      refusals={KEY_REFUSALS}
      fields={[
        { kind: 'other', names: PRICE_FIELDS, show: problems => <PriceFields problems={problems} /> },
        keyField(null),
        metadata({}),
      ]}
    />
  );
}

/** Changes what of a price can change. */
function EditPriceDialog({ price }: { readonly price: Price }) {
  const { billing, key } = useProject();
  const canSetTax = price.taxBehavior === 'unspecified';
  return (
    <WriteDialog
      {...wordsOf('price', false)}
      lead={`${formatPrice(price)}. Its amounts and interval never change.`}
      write={async fields => {
        const added = otherCurrenciesOf(fields);
        return billing.prices.update(price.id, {
          ...(canSetTax && { taxBehavior: textOf(fields, 'taxBehavior') as Price['taxBehavior'] }), // one of the options
          ...(Object.keys(added).length > 0 && { currencyOptions: added }),
          ...keyOf(fields),
          metadata: changedMetadata(fields, price.metadata),
        });
      }}
      stale={[key('prices')]}
      done="The price is changed, here and in Stripe."
      refusals={{ tax_behavior_set: 'taxBehavior', currency_amount_set: 'currencyOptions', ...KEY_REFUSALS }}
      fields={[
        control(OtherCurrencies, { name: 'currencyOptions', own: price.currency }),
        canSetTax && choice({ name: 'taxBehavior', label: 'Tax', options: TAX_BEHAVIORS, hint: 'It can be set once.' }),
        keyField(price.key),
        metadata({ metadata: price.metadata }),
      ]}
    />
  );
}
