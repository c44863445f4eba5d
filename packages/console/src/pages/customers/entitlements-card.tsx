import type { CustomerState, Entitlement, Feature, Grant } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useProject } from '#api/project.ts';
import { featuresQuery, grantsQuery, stateQuery } from '#api/queries.ts';
import { useProductNames } from '#api/use-product-names.ts';
import { Loading } from '#layout/loading.tsx';
import { Card } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { DialogButton } from '#resource/dialog-button.tsx';
import { Notice } from '#ui/notice.tsx';
import { Time } from '#ui/time.tsx';
import { FeatureLink } from '../features/feature-name.tsx';
import { describeMerge, formatValue } from '../features/feature-words.ts';
import { SubscriptionLink } from '../products/product-name.tsx';
import { GrantDialog, TakeBack } from './grant-dialog.tsx';
import { whyNothing } from './state-changes.ts';

type Source = Entitlement['sources'][number];

/** Says why a source gives, after what it is: `Pro, in its trial`. */
const REASONS: Readonly<Record<Source['reason'], string>> = {
  active: '',
  trial: ', in its trial',
  grace: ', past due, in grace',
  grant: 'Given by hand',
};

/** What a customer may use, as the product reads it, with all that gives it; a feature is given by hand here. */
export function EntitlementsCard({ customerId }: { readonly customerId: string }) {
  const scope = useProject();
  const [state, defined, given] = [
    useQuery(stateQuery(scope, customerId)),
    useQuery(featuresQuery(scope)),
    useQuery(grantsQuery(scope, customerId)),
  ];
  const waiting = [state, defined, given].find(({ data }) => data === undefined);
  const [features, grants] = [defined.data ?? [], given.data ?? []];
  const givable = features.filter(({ isActive }) => isActive);
  const dialogProps = { customerId, grants };
  const actionsOf = (grant: Grant) => {
    const feature = features.find(({ key }) => key === grant.key);
    return (
      <div className="row">
        {feature && (
          <DialogButton
            small
            kind="quiet"
            dialog={<GrantDialog {...dialogProps} features={features} changed={grant} />}
          >
            Change…
          </DialogButton>
        )}
        <DialogButton
          small
          kind="quiet"
          dialog={<TakeBack customerId={customerId} grant={grant} name={feature?.name ?? grant.key} />}
        >
          Take back…
        </DialogButton>
      </div>
    );
  };
  return (
    <Card
      title="May use"
      flush
      actions={
        given.data &&
        givable.length > 0 && (
          <DialogButton small icon="plus" dialog={<GrantDialog {...dialogProps} features={givable} />}>
            Give a feature
          </DialogButton>
        )
      }
    >
      {waiting && <Loading query={waiting} flush lines={3} />}
      {!waiting && state.data && (
        <Entitlements state={state.data} features={features} grants={grants} actionsOf={actionsOf} />
      )}
    </Card>
  );
}

interface EntitlementsProps {
  readonly state: CustomerState;
  readonly features: readonly Feature[];
  readonly grants: readonly Grant[];
  /** What can be done about what was given by hand. */
  readonly actionsOf: (grant: Grant) => ReactNode;
}

function Entitlements({ state, features, grants, actionsOf }: EntitlementsProps) {
  const { entitlements } = state;
  const denied = features.filter(({ key }) => !Object.hasOwn(entitlements, key));
  const givenInVain = grants.filter(({ key }) => !entitlements[key]?.sources.some(({ kind }) => kind === 'grant'));
  return (
    <>
      {state.subscriptions
        .filter(subscription => !subscription.grants)
        .map(subscription => (
          <div key={subscription.id} className="card-body">
            <Notice tone="warn">
              <SubscriptionLink subscription={subscription} /> gives nothing: it {whyNothing(subscription)}.
            </Notice>
          </div>
        ))}
      {Object.keys(entitlements).length === 0 && (
        <p className="card-body muted">
          {features.length === 0 ? (
            <>
              What your product checks is defined under <ProjectLink page="features">Features</ProjectLink>.
            </>
          ) : (
            'Nothing: neither a subscription nor a grant gives this customer any feature.'
          )}
        </p>
      )}
      <ul className="entries">
        {Object.entries(entitlements).map(([key, { value, type, sources }]) => (
          <li key={key}>
            <div className="grow stack-s">
              <div className="spread">
                <FeatureLink featureKey={key} features={features} />
                <span>
                  <bdi>{formatValue(value, type)}</bdi> {value === 0 && <span className="muted">(not allowed)</span>}
                </span>
              </div>
              <ul className="muted small">
                {sources.map(source => (
                  <li key={`${source.kind} ${source.id} ${source.priceId}`}>
                    <SourceText
                      source={source}
                      value={sources.length > 1 && type !== 'boolean' ? formatValue(source.value, type) : undefined}
                      state={state}
                    />
                    {source.kind === 'grant' &&
                      grants
                        .filter(grant => grant.key === key)
                        .map(grant => (
                          <div key={key}>
                            {grant.note && <bdi>“{grant.note}”</bdi>}
                            {actionsOf(grant)}
                          </div>
                        ))}
                  </li>
                ))}
                {sources.length > 1 && (
                  <li>{describeMerge(features.find(it => it.key === key) ?? { type, merge: null })}</li>
                )}
              </ul>
            </div>
          </li>
        ))}
        {givenInVain.map(grant => (
          <li key={grant.key}>
            <div className="grow stack-s">
              <FeatureLink featureKey={grant.key} features={features} />
              <div className="muted small">
                Given by hand, without effect{grant.expiresAt && ' since '}
                {grant.expiresAt && <Time at={grant.expiresAt} show="time" />}
                {actionsOf(grant)}
              </div>
            </div>
          </li>
        ))}
      </ul>
      {denied.length > 0 && (
        <details className="card-body more">
          <summary>{denied.length === 1 ? 'May not use 1 feature' : `May not use ${denied.length} features`}</summary>
          <ul className="stack-s">
            {denied.map(({ key, isActive }) => (
              <li key={key}>
                <FeatureLink featureKey={key} features={features} />{' '}
                <span className="muted">{isActive ? 'Nothing gives it.' : 'It is inactive.'}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

interface SourceTextProps {
  readonly source: Source;
  /** What it gives, where that is not all. */
  readonly value: string | undefined;
  readonly state: CustomerState;
}

/** One thing that gives a feature: `10 by Pro, in its trial, until Mar 3, 2026`. */
function SourceText({ source: { kind, id, priceId, quantity, until, reason }, value, state }: SourceTextProps) {
  const names = useProductNames();
  const subscription = state.subscriptions.find(it => it.id === id);
  return (
    <>
      {kind === 'grant' ? (
        `${REASONS.grant}${value ? `: ${value}` : ''}`
      ) : (
        <>
          {value ? <bdi>{value} by </bdi> : 'By '}
          {quantity > 1 && `${quantity} × `}
          <ProjectLink page={`subscriptions/${id}`}>
            <bdi>{names.ofPrice(priceId) ?? (subscription ? names.ofItems(subscription.items) : 'a subscription')}</bdi>
          </ProjectLink>
          {REASONS[reason]}
        </>
      )}
      {until && (
        <>
          {' '}
          until <Time at={until} show="time" />
        </>
      )}
    </>
  );
}
