import type { Price, Product } from '@billing/client';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { useWrite } from '#layout/use-write.ts';
import { Button } from '#ui/button.tsx';
import { ConfirmDialog } from '#ui/confirm-dialog.tsx';

interface ArchiveButtonProps {
  readonly sold: Product | Price;
  readonly name: string;
  readonly small?: boolean;
}

/** Archives a product or a price, which it asks before, or activates it again. */
export function ArchiveButton({ sold, name, small = false }: ArchiveButtonProps) {
  const { billing, key } = useProject();
  const [asking, setAsking] = useState(false);
  const isPrice = 'productId' in sold;
  const isActive = !sold.isActive;
  const change = useWrite({
    write: async () => {
      if (isPrice) await billing.prices.update(sold.id, { isActive });
      else await billing.products.update(sold.id, { isActive });
    },
    stale: [key('products'), key('prices')],
    done: 'Changed, here and in Stripe.',
    // The dialog shows why, where there is one.
    ...(isActive && { failed: 'Nothing was changed.' }),
    onDone: () => setAsking(false),
  });
  return (
    <>
      <Button
        small={small}
        busy={isActive && change.isPending}
        onClick={() => (isActive ? change.mutate() : setAsking(true))}
      >
        {isActive ? 'Activate' : 'Archive'}
      </Button>
      {asking && (
        <ConfirmDialog
          title={isPrice ? 'Archive the price' : 'Archive the product'}
          action="Archive"
          write={change}
          onClose={() => setAsking(false)}
        >
          No checkout sells <bdi>{name}</bdi> any more, here and in Stripe. Subscriptions to it go on, and it can be
          activated again.
        </ConfirmDialog>
      )}
    </>
  );
}
