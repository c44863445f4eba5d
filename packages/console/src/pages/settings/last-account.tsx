import type { ProcessorConnection } from '@billing/client';
import { Button } from '#ui/button.tsx';
import { Notice } from '#ui/notice.tsx';
import { Time } from '#ui/time.tsx';

interface LastAccountProps {
  readonly account: ProcessorConnection['lastAccount'];
  readonly isPurging: boolean;
  readonly onPurge: () => void;
}

/** Which account the records are of that the team still has, and how another one can be connected. */
export function LastAccount({ account, isPurging, onPurge }: LastAccountProps) {
  if (isPurging)
    return (
      <Notice role="status">
        The records of the last account are being deleted. An account can be connected once they are.
      </Notice>
    );
  if (!account) return null;
  return (
    <Notice>
      <div className="stack-s">
        <div>
          Disconnected from <code>{account.accountId}</code> ({account.livemode ? 'live' : 'test'} mode){' '}
          <Time at={account.disconnectedAt} show="relative" />. Its records are still here: connect it again with a key
          of the same account; the last one ended with <code>{account.secretKeyLast4}</code>. Another account can only
          be connected once the records are deleted.
        </div>
        <div>
          <Button small onClick={onPurge}>
            Delete the records…
          </Button>
        </div>
      </div>
    </Notice>
  );
}
