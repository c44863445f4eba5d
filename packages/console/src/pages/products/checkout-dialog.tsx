import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { PROMOTION_CODE_REFUSALS } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { pricesQuery, productsQuery } from '#api/queries.ts';
import { ProjectLink } from '#layout/project-link.tsx';
import { useClose } from '#resource/dialog-button.tsx';
import { control } from '#resource/fields.tsx';
import { WriteDialog } from '#resource/write-dialogs.tsx';
import { Button } from '#ui/button.tsx';
import { Snippet } from '#ui/copy.tsx';
import { Dialog } from '#ui/dialog.tsx';
import { PromotionCodeField, QuantityField, SelectField } from '#ui/field.tsx';
import { textOf } from '#ui/form.tsx';
import { ErrorState } from '#ui/states.tsx';
import { CustomerSelect } from '../customers/customer-select.tsx';
import { PriceOptions } from './price-options.tsx';

const TITLE = 'New checkout';

/** Makes a link where a customer pays for a price; without one the customer is chosen. */
export function CheckoutDialog({ customerId }: { readonly customerId?: string }) {
  const scope = useProject();
  const onClose = useClose();
  const products = useQuery(productsQuery(scope));
  const prices = useQuery(pricesQuery(scope));
  const [chosen, setChosen] = useState<string>();
  const failed = prices.error ?? products.error;
  const sold = products.data && prices.data?.filter(({ isActive }) => isActive);
  if (failed || sold?.length === 0)
    return (
      <Dialog title={TITLE} onClose={onClose}>
        {failed ? <ErrorState error={failed} /> : <NothingSold onClose={onClose} />}
      </Dialog>
    );

  const price = sold?.find(({ id }) => id === chosen) ?? sold?.[0];
  const isOnce = price?.type === 'one_time';
  const create = async (fields: FormData) => {
    const trialDays = Number(textOf(fields, 'trialDays')) || undefined;
    return scope.billing.checkout.create({
      customerId: customerId ?? textOf(fields, 'customerId'),
      priceId: price?.id ?? '',
      quantity: Number(textOf(fields, 'quantity') || 1),
      successUrl: location.href,
      cancelUrl: location.href,
      promotionCode: textOf(fields, 'promotionCode') || undefined,
      ...(isOnce ? { mode: 'payment' } : { mode: 'subscription', trialDays }),
    });
  };
  return (
    <WriteDialog
      title={TITLE}
      action="Make the link"
      write={create}
      stale={[]}
      result={({ url }) => <CheckoutLink url={url} />}
      refusals={PROMOTION_CODE_REFUSALS}
      isWaiting={!price}
      fields={[
        !customerId && control(CustomerSelect, { name: 'customerId', label: 'Customer' }),
        control(SelectField, {
          name: 'priceId',
          label: 'Price',
          value: price?.id,
          onChange: event => setChosen(event.target.value),
          children: sold ? <PriceOptions of={sold} /> : <option>One moment…</option>,
        }),
        {
          kind: 'row',
          of: [
            price?.usageType !== 'metered' && control(QuantityField, { name: 'quantity', defaultValue: 1 }),
            !isOnce && {
              name: 'trialDays',
              label: 'Free trial, in days',
              type: 'number',
              min: 0,
              max: 730,
              placeholder: 'None',
            },
          ],
        },
        control(PromotionCodeField, { name: 'promotionCode', placeholder: 'None' }),
      ]}
    />
  );
}

function CheckoutLink({ url }: { readonly url: string }) {
  return (
    <Dialog title={TITLE} onClose={useClose()}>
      <p className="muted">The customer pays here. The link is valid for a day.</p>
      <Snippet label="Checkout link" text={url} />
      <div className="dialog-actions">
        <a className="button primary" href={url} target="_blank" rel="noopener noreferrer">
          Open it
        </a>
      </div>
    </Dialog>
  );
}

const NothingSold = ({ onClose }: { readonly onClose: () => void }) => (
  <>
    <p>
      There is no price to sell yet. Create one under <ProjectLink page="products">Products</ProjectLink>.
    </p>
    <div className="dialog-actions">
      <Button onClick={onClose}>Go back</Button>
    </div>
  </>
);
