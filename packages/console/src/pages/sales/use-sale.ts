import type { CheckoutCreate } from '@billing/client';
import { useProject } from '#api/project.ts';
import { useOpenPage } from '#layout/project-link.tsx';
import { useClose } from '#resource/dialog-button.tsx';
import { usePreviewedWrite } from '#resource/use-previewed-write.ts';
import { costOf } from './sale-form.ts';

/**
 * The preview of a sale, and what sells for the previewed amount: the dialog closes for the page of the subscription, or `url` is
 * that of the page on which the customer pays, which says itself what is due.
 */
export function useSale(wanted: CheckoutCreate | undefined) {
  const { billing, key } = useProject();
  const close = useClose();
  const openPage = useOpenPage();
  const isPage = wanted?.collect === 'page';
  const { made, ...rest } = usePreviewedWrite({
    queryKey: key('sale-preview'),
    wanted,
    costOf,
    read: (sale, signal) => billing.checkout.preview(sale, { signal }),
    isPinned: !isPage,
    pin: (sale, preview) => (isPage ? sale : { ...sale, expectedAmountDue: preview?.amountDue }),
    send: async ({ collect, ...sale }: CheckoutCreate, options) => {
      const hosted = { page: 'hosted', successUrl: location.href, cancelUrl: location.href } as const;
      return collect === 'saved' || collect === 'invoice' || collect === 'nothing'
        ? billing.checkout.create({ ...sale, collect }, options)
        : billing.checkout.create({ ...sale, ...hosted }, options);
    },
    stale: [key('subscriptions'), key('invoices'), key('payments'), key('state')],
    done: ({ subscription }) => (subscription ? 'The subscription is created.' : undefined),
    onDone: ({ subscription }) => {
      if (!subscription) return;
      close();
      openPage(`subscriptions/${subscription.id}`);
    },
  });
  return { ...rest, url: made?.url ?? undefined };
}
