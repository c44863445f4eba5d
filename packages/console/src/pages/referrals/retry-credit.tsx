import type { ReferralCredit } from '@billing/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { Button } from '#ui/button.tsx';
import { useToasts } from '#ui/toasts.tsx';

/** Sends a credit again that failed. */
export function RetryCredit({ credit }: { readonly credit: ReferralCredit }) {
  const { billing, key } = useProject();
  const queryClient = useQueryClient();
  const toasts = useToasts();
  const retry = useMutation({
    mutationFn: () => billing.referrals.retryCredit(credit.id),
    onSuccess: () => toasts.done('The credit is sent again.'),
    onError: error => toasts.failed('The credit was not sent again.', error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: key('credits') }),
  });
  return (
    <Button small busy={retry.isPending} onClick={() => retry.mutate()}>
      Retry
    </Button>
  );
}
