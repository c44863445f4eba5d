import type { ProductFeature } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { featuresQuery, givenQuery, pricesQuery, productsQuery } from '#api/queries.ts';
import { Card, Page } from '#layout/page.tsx';
import { useCreate } from '#resource/dialog-button.tsx';
import { QueryTable } from '#resource/tables.tsx';
import { Badge } from '#ui/badge.tsx';
import { EmptyState } from '#ui/states.tsx';
import { NewFeatureDialog } from './feature-dialog.tsx';
import { FeatureLink } from './feature-name.tsx';
import { describeType } from './feature-words.ts';
import { idOfProductOrPrice, productsAndPrices } from './product-or-price.ts';

export function FeaturesPage() {
  const scope = useProject();
  const query = useQuery(featuresQuery(scope));
  const given = useQuery(givenQuery(scope));
  const products = useQuery(productsQuery(scope));
  const prices = useQuery(pricesQuery(scope));
  const sold = productsAndPrices(products.data ?? [], prices.data ?? []);
  const nameOf = new Map(sold.map(({ id, productName }) => [id, productName]));
  const givenOf = Map.groupBy(given.data ?? [], ({ key }) => key);
  const create = useCreate('New feature', <NewFeatureDialog />);
  return (
    <Page
      title="Features"
      lead="What your product checks, and which products and prices give it."
      actions={create.button}
    >
      <Card flush>
        <QueryTable
          queries={[query, given, products, prices]}
          rows={query.data}
          rowKey={({ id }) => id}
          columns={[
            {
              title: 'Feature',
              cell: feature => (
                <div className="truncate">
                  <FeatureLink featureKey={feature.key} features={[feature]} />{' '}
                  {!feature.isActive && <Badge>Inactive</Badge>}
                </div>
              ),
            },
            { title: 'Key', least: 150, cell: ({ key }) => <code>{key}</code> },
            { title: 'Values', cell: feature => <bdi>{describeType(feature)}</bdi> },
            {
              title: 'Given by',
              cell: ({ key }) => <bdi>{productsOf(givenOf.get(key) ?? [], nameOf)}</bdi>,
            },
          ]}
          empty={
            <EmptyState icon="features" title="No features yet" action={create.button}>
              A feature is what a customer may use, for example a number of seats. Products give it, and your product
              checks whether a customer has it.
            </EmptyState>
          }
        />
      </Card>
      {create.dialog}
    </Page>
  );
}

const MAX_NAMED = 3;

/** Names the products that give a feature, themselves or by a price. */
function productsOf(given: readonly ProductFeature[], nameOf: ReadonlyMap<string, string>): string {
  const products = [...new Set(given.map(one => nameOf.get(idOfProductOrPrice(one)) ?? 'Deleted product'))];
  if (products.length === 0) return 'Nothing';
  if (products.length <= MAX_NAMED) return products.join(', ');
  return `${products.slice(0, MAX_NAMED - 1).join(', ')} and ${products.length - MAX_NAMED + 1} more`;
}
