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
import { FeatureLink } from './feature-name.tsx';
import { formatGiven } from './feature-words.ts';
import { GiveDialog } from './give-dialog.tsx';
import { giverIdOf, giverName, giversOf, type Giver } from './giver.ts';

/** What the page is about: one feature, or a product with its prices. */
type About = { readonly featureKey: string } | { readonly productId: string };

type Asked = { readonly about: 'new' } | { readonly about: 'change' | 'remove'; readonly gift: ProductFeature };

/** What products and prices give of features, to be set, changed and removed. */
export function GivenCard({ of }: { readonly of: About }) {
  const scope = useProject();
  const given = useQuery(givenQuery(scope, of));
  const features = useQuery(featuresQuery(scope));
  const products = useQuery(productsQuery(scope));
  const prices = useQuery(pricesQuery(scope));
  const [asked, setAsked] = useState<Asked>();
  const isOfFeature = 'featureKey' in of;
  const waiting = [given, features, products, prices].find(({ data }) => data === undefined);
  const givers = giversOf(products.data ?? [], prices.data ?? []);
  // Those among which a new one is chosen.
  const givable = (features.data ?? []).filter(it => (isOfFeature ? it.key === of.featureKey : it.isActive));
  const able = isOfFeature ? givers : givers.filter(({ productId }) => productId === of.productId);
  const close = () => setAsked(undefined);
  return (
    <Card
      title={isOfFeature ? 'Given by' : 'Features'}
      lead={`Who subscribes has ${isOfFeature ? 'it' : 'them'}. What a price gives counts instead of what its product gives.`}
      flush
      actions={
        !waiting &&
        givable.length > 0 &&
        able.length > 0 && (
          <Button small icon="plus" onClick={() => setAsked({ about: 'new' })}>
            {isOfFeature ? 'Give it' : 'Give a feature'}
          </Button>
        )
      }
    >
      {waiting && <Loading query={waiting} flush lines={2} />}
      {!waiting && given.data && features.data && (
        <GivenTable of={of} given={given.data} features={features.data} givers={givers} onAsk={setAsked} />
      )}
      {asked?.about === 'new' && (
        <GiveDialog features={givable} givers={able} given={given.data ?? []} onClose={close} />
      )}
      {asked?.about === 'change' && (
        <GiveDialog
          features={features.data ?? []}
          givers={givers}
          given={given.data ?? []}
          changed={asked.gift}
          onClose={close}
        />
      )}
      {asked?.about === 'remove' && (
        <RemoveDialog gift={asked.gift} name={nameOf(asked.gift, givers)} onClose={close} />
      )}
    </Card>
  );
}

/** Deleted products and prices go on giving to who subscribes to them, but nothing names them. */
const nameOf = (gift: ProductFeature, givers: readonly Giver[]): string => {
  const giver = givers.find(({ id }) => id === giverIdOf(gift));
  return giver ? giverName(giver) : gift.priceId ? 'A deleted price' : 'A deleted product';
};

interface GivenTableProps {
  readonly of: About;
  readonly given: readonly ProductFeature[];
  readonly features: readonly Feature[];
  readonly givers: readonly Giver[];
  readonly onAsk: (asked: Asked) => void;
}

function GivenTable({ of, given, features, givers, onAsk }: GivenTableProps) {
  if (given.length === 0)
    return 'featureKey' in of ? (
      <EmptyState icon="features" title="Nothing gives it">
        No product or price gives this feature: only customers to whom it was given by hand may use it.
      </EmptyState>
    ) : (
      <EmptyState icon="features" title="It gives no feature">
        What your product asks for is defined under <ProjectLink page="features">Features</ProjectLink>.
      </EmptyState>
    );
  const featureOf = new Map(features.map(feature => [feature.key, feature]));
  const giverOf = new Map(givers.map(giver => [giver.id, giver]));
  const feature = {
    title: 'Feature',
    cell: ({ key }: ProductFeature) => <FeatureLink featureKey={key} features={features} />,
  };
  const giver = (gift: ProductFeature) => {
    const found = giverOf.get(giverIdOf(gift));
    if (!found || 'productId' in of) return <bdi>{found?.price ?? (found ? 'The product' : nameOf(gift, givers))}</bdi>;
    return (
      <ProjectLink page={`products/${found.productId}`} className="primary-cell">
        <bdi>{giverName(found)}</bdi>
      </ProjectLink>
    );
  };
  return (
    <DataTable
      rows={given}
      rowKey={gift => `${giverIdOf(gift)} ${gift.key}`}
      columns={[
        ...('productId' in of ? [feature] : []),
        { title: 'Given by', cell: giver },
        { title: 'Gives', cell: gift => <bdi>{formatGiven(gift, featureOf.get(gift.key)?.type)}</bdi> },
        {
          title: 'Actions',
          end: true,
          cell: gift =>
            giverOf.has(giverIdOf(gift)) && (
              <div className="row">
                <Button small onClick={() => onAsk({ about: 'change', gift })}>
                  Change
                </Button>
                <Button small onClick={() => onAsk({ about: 'remove', gift })}>
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
  readonly gift: ProductFeature;
  /** Of what gives it. */
  readonly name: string;
  readonly onClose: () => void;
}

function RemoveDialog({ gift, name, onClose }: RemoveDialogProps) {
  const { billing, key } = useProject();
  const remove = useWrite({
    write: () =>
      gift.priceId
        ? billing.priceFeatures.remove(gift.priceId, gift.key)
        : billing.productFeatures.remove(giverIdOf(gift), gift.key),
    stale: [key('given')],
    done: 'It gives the feature no longer.',
    onDone: onClose,
  });
  return (
    <ConfirmDialog title="Remove the feature" action="Remove" write={remove} onClose={onClose}>
      <bdi>{name}</bdi> gives <code>{gift.key}</code> no longer.{' '}
      {gift.priceId
        ? 'Who subscribes to this price has what its product gives, if it gives any.'
        : 'Who subscribes to it loses what nothing else gives, at once.'}
    </ConfirmDialog>
  );
}
