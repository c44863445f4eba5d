import type { PromotionCode } from '@billing/client';
import { useProject } from '#api/project.ts';
import { SwitchButton } from '#layout/switch-button.tsx';

interface SwitchCodeProps {
  readonly code: PromotionCode;
  readonly small?: boolean;
}

/** Deactivates a promotion code, or activates it again. */
export function SwitchCode({ code: { id, code, isActive }, ...size }: SwitchCodeProps) {
  const { billing, key } = useProject();
  return (
    <SwitchButton
      noun="promotion code"
      isActive={isActive}
      off="Deactivate"
      write={to => billing.promotionCodes.update(id, { isActive: to })}
      stale={[key('promotion-codes')]}
      done={(_, to) => `The promotion code is ${to ? 'active' : 'inactive'}, here and in Stripe.`}
      {...size}
    >
      Nobody can redeem <code>{code}</code> any more, here and in Stripe. Subscriptions that have its discount keep it,
      and it can be activated again.
    </SwitchButton>
  );
}
