import type { Subscription, SubscriptionCancel } from '@billing/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { useToasts } from '#ui/toasts.tsx';
import { withChange } from './with-change.ts';

interface Change {
  readonly subscription: Subscription;
  readonly cancelAtPeriodEnd: boolean;
  /** What the customer says who cancels. */
  readonly said?: SubscriptionCancel | undefined;
}

/**
 * Returns a function that schedules a subscription's end or takes that back. Every page shows the change at once, and the
 * old state again, with a word, when it is refused.
 */
export function useSchedule(): (
  subscription: Subscription,
  cancelAtPeriodEnd: boolean,
  said?: SubscriptionCancel,
) => void {
  const { billing, key } = useProject();
  const queryClient = useQueryClient();
  const toasts = useToasts();
  const shown = { queryKey: key('subscriptions') };

  const change = useMutation({
    mutationFn: ({ subscription: { id }, cancelAtPeriodEnd, said }: Change) =>
      cancelAtPeriodEnd ? billing.subscriptions.cancelAtPeriodEnd(id, said) : billing.subscriptions.resume(id),
    onMutate: async ({ subscription, cancelAtPeriodEnd }) => {
      await queryClient.cancelQueries(shown);
      const before = queryClient.getQueriesData(shown);
      const changed = { cancelAtPeriodEnd, cancelAt: cancelAtPeriodEnd ? subscription.currentPeriodEnd : null };
      queryClient.setQueriesData(shown, (data: unknown) => withChange(data, subscription.id, changed));
      return { before };
    },
    onError: (error, { cancelAtPeriodEnd }, context) => {
      for (const [queryKey, data] of context?.before ?? []) queryClient.setQueryData(queryKey, data);
      toasts.failed(
        cancelAtPeriodEnd ? 'The subscription was not canceled.' : 'The subscription was not resumed.',
        error,
      );
    },
    onSuccess: (_saved, { cancelAtPeriodEnd }) =>
      toasts.done(cancelAtPeriodEnd ? 'The subscription ends with its period.' : 'The subscription goes on.'),
    onSettled: () => queryClient.invalidateQueries(shown),
  });
  return (subscription, cancelAtPeriodEnd, said) => change.mutate({ subscription, cancelAtPeriodEnd, said });
}
