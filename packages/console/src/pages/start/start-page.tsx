import { Page } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { formatPrice } from '#ui/amount.ts';
import { Badge } from '#ui/badge.tsx';
import { formatMoney } from '#ui/money.ts';
import { Notice } from '#ui/notice.tsx';
import { ErrorState, SkeletonLines } from '#ui/states.tsx';
import { ConnectForms } from '../settings/connect-forms.tsx';
import { FirstKey } from './first-key.tsx';
import { FirstProduct } from './first-product.tsx';
import { ImportExisting } from './import-existing.tsx';
import { LiveEvents } from './live-events.tsx';
import { Step } from './step.tsx';
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
