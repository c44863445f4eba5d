import type { Feature, ProductFeature } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { featuresQuery, givenQuery, pricesQuery, productsQuery } from '#api/queries.ts';
import { DataTable } from '#layout/data-table.tsx';
import { Loading } from '#layout/loading.tsx';
import { Card } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { useWrite } from '#layout/use-write.ts';
import { Button } from '#ui/button.tsx';
import { ConfirmDialog } from '#ui/confirm-dialog.tsx';
import { EmptyState } from '#ui/states.tsx';
import { featureColumn } from './feature-name.tsx';
import { formatGiven } from './feature-words.ts';
import { GiveDialog } from './give-dialog.tsx';
import {
  idOfProductOrPrice,
  nameOfProductOrPrice,
  productsAndPrices,
  type ProductOrPrice,
} from './product-or-price.ts';

/** What the page is about: one feature, or a product with its prices. */
type About = { readonly featureKey: string } | { readonly productId: string };

/** The dialog that is open: without `given` it gives another feature. */
type Open = { readonly dialog: 'give' | 'remove'; readonly given?: ProductFeature };

/** What products and prices give of features, to be set, changed and removed. */
export function GivenCard({ of }: { readonly of: About }) {
  const scope = useProject();
  const queries = [
    useQuery(givenQuery(scope, of)),
    useQuery(featuresQuery(scope)),
    useQuery(productsQuery(scope)),
    useQuery(pricesQuery(scope)),
  ] as const;
  const [open, setOpen] = useState<Open>();
  const [{ data: given = [] }, { data: features = [] }, { data: products = [] }, { data: prices = [] }] = queries;
  const waiting = queries.find(({ data }) => data === undefined);
  const isOfFeature = 'featureKey' in of;
  const givable = features.filter(it => (isOfFeature ? it.key === of.featureKey : it.isActive));
  const sold = productsAndPrices(products, prices).filter(it => isOfFeature || it.productId === of.productId);
  const close = () => setOpen(undefined);
  return (
    <Card
      title={isOfFeature ? 'Given by' : 'Features'}
      lead={`Who subscribes has ${isOfFeature ? 'it' : 'them'}. What a price gives counts instead of what its product gives.`}
      flush
      actions={
        !waiting &&
        givable.length > 0 &&
        sold.length > 0 && (
          <Button small icon="plus" onClick={() => setOpen({ dialog: 'give' })}>
            {isOfFeature ? 'Give it' : 'Give a feature'}
          </Button>
        )
      }
    >
      {waiting && <Loading query={waiting} flush lines={2} />}
      {!waiting && (
        <GivenTable isOfFeature={isOfFeature} given={given} features={features} sold={sold} open={setOpen} />
      )}
      {open?.dialog === 'give' && (
        <GiveDialog
          features={open.given ? features : givable}
          sold={sold}
          given={given}
          changed={open.given}
          onClose={close}
        />
      )}
      {open?.dialog === 'remove' && open.given && <RemoveDialog given={open.given} sold={sold} onClose={close} />}
    </Card>
  );
}

/** Deleted products and prices go on giving to who subscribes to them, but nothing names them. */
const findSold = (given: ProductFeature, sold: readonly ProductOrPrice[]) => {
  const found = sold.find(({ id }) => id === idOfProductOrPrice(given));
  if (found) return { found, name: nameOfProductOrPrice(found) };
  return { found, name: given.priceId ? 'A deleted price' : 'A deleted product' };
};

interface GivenTableProps {
  readonly isOfFeature: boolean;
  readonly given: readonly ProductFeature[];
  readonly features: readonly Feature[];
  readonly sold: readonly ProductOrPrice[];
  readonly open: (dialog: Open) => void;
}

function GivenTable({ isOfFeature, given, features, sold, open }: GivenTableProps) {
  if (given.length === 0)
    return isOfFeature ? (
      <EmptyState icon="features" title="Nothing gives it">
        No product or price gives this feature: only customers to whom it was given by hand may use it.
      </EmptyState>
    ) : (
      <EmptyState icon="features" title="It gives no feature">
        What your product checks is defined under <ProjectLink page="features">Features</ProjectLink>.
      </EmptyState>
    );
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
  return (
    <DataTable
      rows={given}
      rowKey={one => `${idOfProductOrPrice(one)} ${one.key}`}
      columns={[
        ...(isOfFeature ? [] : [featureColumn(features)]),
        { title: 'Given by', cell: by },
        { title: 'Gives', cell: one => <bdi>{formatGiven(one, typeOf.get(one.key))}</bdi> },
        {
          title: 'Actions',
          end: true,
          cell: one =>
            findSold(one, sold).found && (
              <div className="row">
                <Button small onClick={() => open({ dialog: 'give', given: one })}>
                  Change
                </Button>
                <Button small onClick={() => open({ dialog: 'remove', given: one })}>
                  Remove
                </Button>
              </div>
            ),
        },
      ]}
    />
  );
}

interface RemoveDialogProps {
  readonly given: ProductFeature;
  readonly sold: readonly ProductOrPrice[];
  readonly onClose: () => void;
}

function RemoveDialog({ given, sold, onClose }: RemoveDialogProps) {
  const { billing, key } = useProject();
  const remove = useWrite({
    write: () =>
      (given.priceId ? billing.priceFeatures : billing.productFeatures).remove(idOfProductOrPrice(given), given.key),
    stale: [key('given')],
    done: 'It gives the feature no longer.',
    onDone: onClose,
  });
  return (
    <ConfirmDialog title="Remove the feature" action="Remove" write={remove} onClose={onClose}>
      <bdi>{findSold(given, sold).name}</bdi> gives <code>{given.key}</code> no longer.{' '}
      {given.priceId
        ? 'Who subscribes to this price has what its product gives, if it gives any.'
        : 'Who subscribes to it loses what nothing else gives, at once.'}
    </ConfirmDialog>
  );
}
