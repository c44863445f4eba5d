import type { Price, Product } from '@billing/client';
import { useProject } from '#api/project.ts';
import { SwitchButton } from '#layout/switch-button.tsx';

interface ArchiveButtonProps {
  readonly sold: Product | Price;
  readonly name: string;
  readonly small?: boolean;
}

/** Archives a product or a price, or activates it again. */
export function ArchiveButton({ sold: { id, isActive, ...sold }, name, ...size }: ArchiveButtonProps) {
  const { billing, key } = useProject();
  const noun = 'productId' in sold ? 'price' : 'product';
  return (
    <SwitchButton
      noun={noun}
      isActive={isActive}
      off="Archive"
      write={to => billing[`${noun}s`].update(id, { isActive: to })}
      stale={[key('products'), key('prices')]}
      done="Changed, here and in Stripe."
      {...size}
    >
      No checkout sells <bdi>{name}</bdi> any more, here and in Stripe. Subscriptions to it go on, and it can be
      activated again.
    </SwitchButton>
  );
}
