import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useProject } from '#api/project.ts';
import { Page } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { formatPrice } from '#ui/amount.ts';
import { Badge } from '#ui/badge.tsx';
import { Icon } from '#ui/icon.tsx';
import { formatMoney } from '#ui/money.ts';
import { Notice } from '#ui/notice.tsx';
import { ErrorState, SkeletonLines } from '#ui/states.tsx';
import { EVENT_STATUS, StatusBadge } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { ConnectForms } from '../settings/connect-forms.tsx';
import { FirstKey } from './first-key.tsx';
import { FirstProduct } from './first-product.tsx';
import { TestCheckout } from './test-checkout.tsx';
import { useProgress } from './use-progress.ts';

/** The way from an empty project to its first payment. */
export function StartPage() {
  const { progress, error } = useProgress();
  return (
    <Page title="Get started" lead="From here to your first test payment in two minutes.">
      {error && <ErrorState error={error} />}
      {!progress && !error && <SkeletonLines lines={8} />}
      {progress && <Steps progress={progress} />}
    </Page>
  );
}

function Steps({ progress }: { readonly progress: NonNullable<ReturnType<typeof useProgress>['progress']> }) {
  const { connection, hasKey, price, payment, current } = progress;
  const account = connection.processor;
  return (
    <>
      {payment && (
        <Notice icon="check">
          The first payment has arrived: {formatMoney(payment.amount, payment.currency)}. See it in the{' '}
          <ProjectLink page="overview">overview</ProjectLink>.
        </Notice>
      )}
      {!payment && <ImportExisting isConnected={account !== null} />}
      <ol className="steps">
        <Step number={1} title="Connect Stripe" done={account !== null} current={current === 0}>
          {account ? (
            <p className="muted">
              Connected to <code>{account.accountId}</code>{' '}
              <Badge tone={account.livemode ? 'good' : 'warn'}>{account.livemode ? 'live' : 'test'}</Badge>
            </p>
          ) : (
            <ConnectForms connection={connection} />
          )}
        </Step>
        <Step number={2} title="Create a product with a price" done={price !== undefined} current={current === 1}>
          {price ? (
            <p className="muted">
              {formatPrice(price)}. More under <ProjectLink page="products">Products</ProjectLink>.
            </p>
          ) : (
            <FirstProduct enabled={account !== null} />
          )}
        </Step>
        <Step number={3} title="Pay for it in a test checkout" done={payment !== undefined} current={current === 2}>
          <TestCheckout price={price} done={payment !== undefined} />
          {account && <LiveEvents />}
        </Step>
        <Step number={4} title="Call the API from your backend" done={hasKey} current={current === 3}>
          <FirstKey hasKey={hasKey} current={current === 3} />
        </Step>
      </ol>
    </>
  );
}

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly done: boolean;
  /** The one to do next. */
  readonly current: boolean;
  readonly children: ReactNode;
}

function Step({ number, title, done, current, children }: StepProps) {
  return (
    <li
      className={`card step ${done ? 'done' : ''} ${current ? 'current' : ''}`}
      aria-current={current ? 'step' : undefined}
    >
      <span className="step-mark">
        {done ? <Icon name="check" /> : number}
        <span className="visually-hidden">{done ? 'Done' : ''}</span>
      </span>
      <div className="stack-s">
        <h2>{title}</h2>
        {children}
      </div>
    </li>
  );
}

/** The way of those who have customers in Stripe already. */
function ImportExisting({ isConnected }: { readonly isConnected: boolean }) {
  return (
    <section className="notice" aria-labelledby="import">
      <Icon name="download" />
      <div className="stack-s">
        <h2 id="import">You already use Stripe? Import</h2>
        <p>
          {isConnected
            ? 'See what your account has and this project lacks, then take it over. Nothing changes in Stripe.'
            : 'Connect your account below; then its products, customers and subscriptions can be taken over.'}
        </p>
        {isConnected && (
          <div>
            <ProjectLink page="settings/syncs" className="button">
              Compare and import
            </ProjectLink>
          </div>
        )}
      </div>
    </section>
  );
}

const LIVE_MS = 1_000;
/** A first payment sends about nine. */
const SHOWN = 12;

/** The newest webhook events, as they arrive. */
function LiveEvents() {
  const { billing, key } = useProject();
  const { data } = useQuery({
    queryKey: key('events', 'newest'),
    queryFn: ({ signal }) => billing.webhookEvents.list({ limit: SHOWN }, { signal }).page(),
    refetchInterval: LIVE_MS,
  });
  return (
    <div className="live-events" role="log" aria-label="Webhook events as they arrive">
      <span className="live">{data?.items.length ? 'Webhooks, as they arrive' : 'Waiting for the first webhook'}</span>
      <ul>
        {data?.items.map(({ id, type, status, receivedAt }) => (
          <li key={id}>
            <StatusBadge of={EVENT_STATUS[status]} />
            <ProjectLink page={`events/${id}`} className="grow truncate">
              {type}
            </ProjectLink>
            <Time at={receivedAt} show="relative" />
          </li>
        ))}
      </ul>
    </div>
  );
}
