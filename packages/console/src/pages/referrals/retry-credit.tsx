import type { ReferralCredit } from '@billing/client';
import { useProject } from '#api/project.ts';
import { useWrite } from '#layout/use-write.ts';
import { Button } from '#ui/button.tsx';

/** Sends a credit again that failed. */
export function RetryCredit({ credit }: { readonly credit: ReferralCredit }) {
  const { billing, key } = useProject();
  const retry = useWrite({
    write: () => billing.referrals.retryCredit(credit.id),
    stale: [key('credits')],
    done: 'The credit is sent again.',
    failed: 'The credit was not sent again.',
  });
  return (
    <Button small busy={retry.isPending} onClick={() => retry.mutate()}>
      Retry
    </Button>
  );
}
