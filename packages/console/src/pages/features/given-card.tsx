import type { Feature, ProductFeature } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { featuresQuery, givenQuery, pricesQuery, productsQuery } from '#api/queries.ts';
import type { Column } from '#layout/list-table.tsx';
import { Card } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { DialogButton } from '#resource/dialog-button.tsx';
import { choice, control } from '#resource/fields.tsx';
import { QueryTable } from '#resource/tables.tsx';
import { ConfirmWrite, WriteDialog } from '#resource/write-dialogs.tsx';
import { Options, SelectField } from '#ui/field.tsx';
import { textOf } from '#ui/form.tsx';
import { EmptyState } from '#ui/states.tsx';
import { featureColumn, FeatureSelect } from './feature-name.tsx';
import { formatGiven } from './feature-words.ts';
import {
  idOfProductOrPrice,
  nameOfProductOrPrice,
  type ProductOrPrice,
  productsAndPrices,
} from './product-or-price.ts';
import { ValueField, valueOf } from './value-field.tsx';

/** What the page is about: one feature, or a product with its prices. */
type About = { readonly featureKey: string } | { readonly productId: string };

/** What products and prices give of features, to be set, changed and removed. */
export function GivenCard({ of }: { readonly of: About }) {
  const scope = useProject();
  const queries = [
    useQuery(givenQuery(scope, of)),
    useQuery(featuresQuery(scope)),
    useQuery(productsQuery(scope)),
    useQuery(pricesQuery(scope)),
  ] as const;
  const [{ data: given = [] }, { data: features = [] }, { data: products = [] }, { data: prices = [] }] = queries;
  const waiting = queries.find(({ data }) => data === undefined);
  const isOfFeature = 'featureKey' in of;
  const givable = features.filter(it => (isOfFeature ? it.key === of.featureKey : it.isActive));
  const sold = productsAndPrices(products, prices).filter(it => isOfFeature || it.productId === of.productId);
  return (
    <Card
      title={isOfFeature ? 'Given by' : 'Features'}
      lead={`Who subscribes has ${isOfFeature ? 'it' : 'them'}. What a price gives counts instead of what its product gives.`}
      flush
      actions={
        !waiting &&
        givable.length > 0 &&
        sold.length > 0 && (
          <DialogButton small icon="plus" dialog={<GiveDialog features={givable} sold={sold} given={given} />}>
            {isOfFeature ? 'Give it' : 'Give a feature'}
          </DialogButton>
        )
      }
    >
      <QueryTable
        queries={queries}
        lines={2}
        rows={given}
        rowKey={one => `${idOfProductOrPrice(one)} ${one.key}`}
        columns={columnsOf({ isOfFeature, given, features, sold })}
        empty={isOfFeature ? <NothingGivesIt /> : <GivesNothing />}
      />
    </Card>
  );
}

const NothingGivesIt = () => (
  <EmptyState icon="features" title="Nothing gives it">
    No product or price gives this feature: only customers to whom it was given by hand may use it.
  </EmptyState>
);

const GivesNothing = () => (
  <EmptyState icon="features" title="It gives no feature">
    What your product checks is defined under <ProjectLink page="features">Features</ProjectLink>.
  </EmptyState>
);

/** Deleted products and prices go on giving to who subscribes to them, but nothing names them. */
const findSold = (given: ProductFeature, sold: readonly ProductOrPrice[]) => {
  const found = sold.find(({ id }) => id === idOfProductOrPrice(given));
  if (found) return { found, name: nameOfProductOrPrice(found) };
  return { found, name: given.priceId ? 'A deleted price' : 'A deleted product' };
};

interface Given {
  readonly isOfFeature: boolean;
  readonly given: readonly ProductFeature[];
  readonly features: readonly Feature[];
  readonly sold: readonly ProductOrPrice[];
}

function columnsOf({ isOfFeature, given, features, sold }: Given): readonly Column<ProductFeature>[] {
  const typeOf = new Map(features.map(({ key, type }) => [key, type]));
  const by = (one: ProductFeature) => {
    const { found, name } = findSold(one, sold);
    if (!found) return name;
    if (!isOfFeature) return <bdi>{found.price ?? 'The product'}</bdi>;
    return (
      <ProjectLink page={`products/${found.productId}`} className="primary-cell">
        <bdi>{name}</bdi>
      </ProjectLink>
    );
  };
  return [
    ...(isOfFeature ? [] : [featureColumn(features)]),
    { title: 'Given by', cell: by },
    { title: 'Gives', cell: one => <bdi>{formatGiven(one, typeOf.get(one.key))}</bdi> },
    {
      title: 'Actions',
      width: 186,
      end: true,
      cell: one =>
        findSold(one, sold).found && (
          <div className="row">
            <DialogButton small dialog={<GiveDialog features={features} sold={sold} given={given} changed={one} />}>
              Change
            </DialogButton>
            <DialogButton small dialog={<RemoveDialog given={one} sold={sold} />}>
              Remove
            </DialogButton>
          </div>
        ),
    },
  ];
}

function RemoveDialog({ given, sold }: { readonly given: ProductFeature; readonly sold: readonly ProductOrPrice[] }) {
  const { billing, key } = useProject();
  const resource = given.priceId ? billing.priceFeatures : billing.productFeatures;
  return (
    <ConfirmWrite
      title="Remove the feature"
      action="Remove"
      write={() => resource.remove(idOfProductOrPrice(given), given.key)}
      stale={[key('given')]}
      done="It gives the feature no longer."
    >
      <bdi>{findSold(given, sold).name}</bdi> gives <code>{given.key}</code> no longer.{' '}
      {given.priceId
        ? 'Who subscribes to this price has what its product gives, if it gives any.'
        : 'Who subscribes to it loses what nothing else gives, at once.'}
    </ConfirmWrite>
  );
}

interface GiveDialogProps {
  /** What can be given, and by which products and prices: of each at least one. */
  readonly features: readonly Feature[];
  readonly sold: readonly ProductOrPrice[];
  /** What they give now. */
  readonly given: readonly ProductFeature[];
  /** The one to change; another one is chosen in the dialog. */
  readonly changed?: ProductFeature;
}

/** How often a limit is given. */
const COUNTED = { subscription: 'Once for the subscription', quantity: 'For each of the quantity' };

/** Sets what a product or a price gives of a feature. */
function GiveDialog({ features, sold, given, changed }: GiveDialogProps) {
  const { billing, key } = useProject();
  const [featureKey, setFeatureKey] = useState(changed?.key ?? features[0]?.key);
  const [soldId, setSoldId] = useState(changed ? idOfProductOrPrice(changed) : sold[0]?.id);
  const feature = features.find(it => it.key === featureKey);
  const name = feature?.name ?? changed?.key ?? 'the feature';
  const by = sold.find(({ id }) => id === soldId);
  const now = given.find(it => it.key === featureKey && idOfProductOrPrice(it) === soldId);
  const set = async (fields: FormData) => {
    if (!feature || !by) return undefined;
    const per = textOf(fields, 'per') === 'quantity' ? 'quantity' : 'subscription';
    const resource = by.price ? billing.priceFeatures : billing.productFeatures;
    return resource.set(by.id, feature.key, { value: valueOf(fields, feature), per });
  };
  return (
    <WriteDialog
      title={
        changed
          ? `Change the ${name} of ${by ? nameOfProductOrPrice(by) : 'it'}`
          : features.length === 1
            ? `Give ${name}`
            : 'Give a feature'
      }
      action={changed ? 'Save' : 'Give the feature'}
      write={set}
      stale={[key('given')]}
      done="Changed, at once for all who subscribe to it."
      fields={[
        !changed &&
          features.length > 1 &&
          control(FeatureSelect, { name: 'feature', features, value: featureKey, onChange: setFeatureKey }),
        !changed &&
          choice({
            name: 'by',
            label: 'Given by',
            value: soldId,
            hint: 'What a price gives counts instead of what its product gives.',
            onChange: event => setSoldId(event.target.value),
            options: Object.fromEntries(sold.map(one => [one.id, nameOfProductOrPrice(one)])),
          }),
        feature && {
          kind: 'other',
          names: ['value'],
          show: problems => (
            <div key={`${featureKey} ${soldId}`} className="stack">
              <ValueField feature={feature} defaultValue={now?.value} problem={problems['value']} />
              {feature.type === 'limit' && (
                <SelectField label="Counted" name="per" defaultValue={now?.per}>
                  <Options of={COUNTED} />
                </SelectField>
              )}
            </div>
          ),
        },
      ]}
    />
  );
}
