import type { CustomerState, Entitlement, Feature, Grant, Subscription } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { featuresQuery, grantsQuery, stateQuery } from '#api/queries.ts';
import { useProductNames } from '#api/use-product-names.ts';
import { DataTable } from '#layout/data-table.tsx';
import { Loading } from '#layout/loading.tsx';
import { Card } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { EmptyState } from '#ui/states.tsx';
import { Notice } from '#ui/notice.tsx';
import { Time } from '#ui/time.tsx';
import { describeMerge, formatValue } from '../features/feature-words.ts';
import { featureColumn, FeatureLink } from '../features/feature-name.tsx';
import { SubscriptionLink } from '../products/product-name.tsx';

type Source = Entitlement['sources'][number];

/** Says why a source gives, after what it is: `Pro, in its trial`. */
const REASONS: Readonly<Record<Source['reason'], string>> = {
  active: '',
  trial: ', in its trial',
  grace: ', which is past due: it goes on in its grace',
  grant: 'Given by hand',
};

/** Says why a subscription gives nothing: `is unpaid`. */
function whyNothing({ status }: Pick<Subscription, 'status'>): string {
  if (status === 'past_due') return 'is past due, and its grace is over';
  if (status === 'unpaid') return 'is unpaid';
  if (status === 'paused') return 'is paused, for want of a payment method';
  return status === 'incomplete' ? 'waits for its first payment' : 'has ended';
}

/** What a customer may use, as the product reads it, with all that gives it. */
export function EntitlementsCard({ customerId }: { readonly customerId: string }) {
  const scope = useProject();
  const query = useQuery(stateQuery(scope, customerId));
  const features = useQuery(featuresQuery(scope));
  const { data: grants } = useQuery(grantsQuery(scope, customerId));
  const waiting = [query, features].find(({ data }) => data === undefined);
  return (
    <Card title="May use" lead="As your product reads it now." flush>
      {waiting && <Loading query={waiting} flush lines={3} />}
      {query.data && features.data && (
        <Entitlements state={query.data} features={features.data} grants={grants ?? []} />
      )}
    </Card>
  );
}

interface EntitlementsProps {
  readonly state: CustomerState;
  readonly features: readonly Feature[];
  readonly grants: readonly Grant[];
}

function Entitlements({ state, features, grants }: EntitlementsProps) {
  const featureOf = new Map(features.map(feature => [feature.key, feature]));
  const entitled = Object.entries(state.entitlements).map(([key, entitlement]) => ({ key, ...entitlement }));
  const denied = features.filter(({ key }) => !Object.hasOwn(state.entitlements, key));
  const withoutGrants = state.subscriptions.filter(subscription => !subscription.grants);
  return (
    <>
      {withoutGrants.length > 0 && (
        <div className="card-body stack-s">
          {withoutGrants.map(subscription => (
            <Notice key={subscription.id} tone="warn">
              <SubscriptionLink subscription={subscription} /> gives nothing: it {whyNothing(subscription)}.
            </Notice>
          ))}
        </div>
      )}
      {entitled.length === 0 && (
        <EmptyState icon="features" title="No feature">
          {features.length === 0 ? (
            <>
              What your product checks is defined under <ProjectLink page="features">Features</ProjectLink>.
            </>
          ) : (
            'Neither a subscription nor a grant gives this customer any.'
          )}
        </EmptyState>
      )}
      {entitled.length > 0 && (
        <DataTable
          rows={entitled}
          rowKey={({ key }) => key}
          columns={[
            featureColumn(features),
            { title: 'Value', cell: ({ value, type }) => <ValueText value={value} type={type} /> },
            { title: 'Until', cell: ({ until }) => (until ? <Time at={until} show="time" /> : 'No end') },
            {
              title: 'Why',
              cell: ({ key, sources, type }) => (
                <Sources
                  sources={sources}
                  type={type}
                  merge={describeMerge(featureOf.get(key) ?? { type, merge: null })}
                  state={state}
                  note={grants.find(grant => grant.key === key)?.note ?? null}
                />
              ),
            },
          ]}
        />
      )}
      {denied.length > 0 && (
        <div className="card-body">
          <details className="more">
            <summary>
              {denied.length === 1 ? '1 feature that' : `${denied.length} features that`} this customer may not use
            </summary>
            <ul className="stack-s">
              {denied.map(({ key, isActive }) => (
                <li key={key}>
                  <FeatureLink featureKey={key} features={features} />{' '}
                  <span className="muted">{isActive ? 'Nothing gives it.' : 'It is inactive.'}</span>
                </li>
              ))}
            </ul>
          </details>
        </div>
      )}
    </>
  );
}

const ValueText = ({ value, type }: Pick<Entitlement, 'value' | 'type'>) => (
  <>
    <bdi>{formatValue(value, type)}</bdi> {value === 0 && <span className="muted">(not allowed)</span>}
  </>
);

interface SourcesProps {
  readonly sources: readonly Source[];
  readonly type: Entitlement['type'];
  /** Which of several counts. */
  readonly merge: string | undefined;
  readonly state: CustomerState;
  /** Why it was given by hand. */
  readonly note: string | null;
}

function Sources({ sources, type, merge, state, note }: SourcesProps) {
  return (
    <ul className="stack-s">
      {sources.map(source => (
        <li key={`${source.kind} ${source.id} ${source.priceId}`}>
          <SourceText source={source} type={type} state={state} note={note} />
        </li>
      ))}
      {sources.length > 1 && merge && <li className="muted">{merge}</li>}
    </ul>
  );
}

/** One thing that gives a feature: `10 by Pro, in its trial, until Mar 3, 2026`. */
function SourceText({
  source,
  type,
  state,
  note,
}: Omit<SourcesProps, 'sources' | 'merge'> & { readonly source: Source }) {
  const { kind, id, priceId, value, quantity, until, reason } = source;
  const names = useProductNames();
  const subscription = state.subscriptions.find(it => it.id === id);
  const given = type === 'boolean' ? undefined : formatValue(value, type);
  const end = until && (
    <>
      {' '}
      until <Time at={until} show="time" />
    </>
  );
  if (kind === 'grant')
    return (
      <>
        {REASONS.grant}
        {given && `: ${given}`}
        {end}
        {note && (
          <div className="muted">
            <bdi>“{note}”</bdi>
          </div>
        )}
      </>
    );
  return (
    <>
      {given && <bdi>{given} by </bdi>}
      <ProjectLink page={`subscriptions/${id}`}>
        <bdi>{names.ofPrice(priceId) ?? (subscription ? names.ofItems(subscription.items) : 'a subscription')}</bdi>
      </ProjectLink>
      {quantity > 1 && ` × ${quantity}`}
      {REASONS[reason]}
      {end}
    </>
  );
}
