import { BillingError } from '@billing/client';
import type { ReactNode } from 'react';
import { describeFailure } from '#api/failure.ts';
import { formatCount } from '#ui/amount.ts';
import { Button } from '#ui/button.tsx';
import { RefusalNotice } from '#ui/form.tsx';
import { Icon } from '#ui/icon.tsx';

interface ConnectProblemProps {
  readonly error: unknown;
  readonly isLocal: boolean;
  /** Moves the cursor into a field of the form. */
  readonly onEnter: (field: 'secretKey' | 'webhookSecret') => void;
  readonly onPurge: () => void;
}

/** Why the team was not connected, and what to do about it. */
export function ConnectProblem({ error, isLocal, onEnter, onPurge }: ConnectProblemProps) {
  if (!error) return null;
  const { message, requestId } = describeFailure(error);
  const code = error instanceof BillingError ? error.code : undefined;
  const otherKey = (
    <Button small onClick={() => onEnter('secretKey')}>
      Enter another key
    </Button>
  );
  const keysAtStripe = !isLocal && (
    <a className="button small" href="https://dashboard.stripe.com/apikeys" target="_blank" rel="noreferrer">
      <Icon name="external" /> API keys in Stripe
    </a>
  );
  const advice: Readonly<Record<string, readonly [words: ReactNode, actions: ReactNode]>> = {
    processor_mismatch: [
      <Mismatch key="words" error={error} />,
      <>
        {otherKey}
        <Button small onClick={onPurge}>
          Delete the records…
        </Button>
      </>,
    ],
    processor_purge_running: [`${message} Connect once they are: this takes a few seconds.`, null],
    processor_credentials_invalid: [
      `${message} Copy a whole, valid key of the account.`,
      <>
        {otherKey}
        {keysAtStripe}
      </>,
    ],
    webhook_endpoint_not_permitted: [
      `${message} Give the key this permission, or make the endpoint yourself, as described below, and enter its signing secret.`,
      <>
        {keysAtStripe}
        {!isLocal && (
          <Button small onClick={() => onEnter('webhookSecret')}>
            Enter a signing secret
          </Button>
        )}
      </>,
    ],
    processor_error: [
      `${message} Nothing was changed here. Try again; status.stripe.com says if Stripe is down.`,
      null,
    ],
    unavailable: [`${message} Nothing was changed. Try again in a moment.`, null],
  };
  const [words, actions] = advice[code ?? ''] ?? [message, null];
  return (
    <RefusalNotice requestId={requestId}>
      <div className="stack-s">
        <div>{words}</div>
        {actions && <div className="row">{actions}</div>}
      </div>
    </RefusalNotice>
  );
}

interface Identity {
  readonly accountId: string;
  readonly livemode: boolean;
}

/** The details of `processor_mismatch` in the API. */
interface MismatchDetails {
  readonly connected: Identity;
  readonly given: Identity;
  readonly records: Readonly<Record<'customers' | 'products' | 'prices' | 'coupons' | 'subscriptions', number>>;
}

function Mismatch({ error }: { readonly error: unknown }) {
  if (!(error instanceof BillingError)) return null;
  const { connected, given, records } = error.details as unknown as MismatchDetails; // as the API documents them
  const counts = Object.entries(records)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${formatCount(count)} ${count === 1 ? kind.slice(0, -1) : kind}`);
  return (
    <>
      This key is of <AccountName of={given} />, but the records of this team ({counts.join(', ')}) are of{' '}
      <AccountName of={connected} />. Connect that account, or delete the records first.
    </>
  );
}

const AccountName = ({ of: { accountId, livemode } }: { readonly of: Identity }) => (
  <>
    <code>{accountId}</code> ({livemode ? 'live' : 'test'} mode)
  </>
);
