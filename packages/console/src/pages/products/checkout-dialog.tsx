import type { CheckoutCreate } from '@billing/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { problemsOf, PROMOTION_CODE_REFUSALS } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { pricesQuery, productsQuery } from '#api/queries.ts';
import { ErrorState } from '#ui/states.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { Button } from '#ui/button.tsx';
import { Snippet } from '#ui/copy.tsx';
import { Dialog } from '#ui/dialog.tsx';
import { PromotionCodeField, QuantityField, SelectField, TextField } from '#ui/field.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { textOf } from '#ui/form.tsx';
import { PriceOptions } from './price-options.tsx';

/** Makes a link where a customer pays for a price. */
export function CheckoutDialog({ customerId, onClose }: { readonly customerId: string; readonly onClose: () => void }) {
  const scope = useProject();
  const create = useMutation({ mutationFn: (checkout: CheckoutCreate) => scope.billing.checkout.create(checkout) });
  const products = useQuery(productsQuery(scope));
  const prices = useQuery(pricesQuery(scope));
  const [chosen, setChosen] = useState<string>();
  const failed = prices.error ?? products.error;
  const sold = products.data && prices.data?.filter(({ isActive }) => isActive);
  if (create.data || failed || sold?.length === 0)
    return (
      <Dialog title="New checkout" onClose={onClose}>
        {create.data ? (
          <CheckoutLink url={create.data.url} />
        ) : failed ? (
          <ErrorState error={failed} />
        ) : (
          <NothingSold onClose={onClose} />
        )}
      </Dialog>
    );

  const price = sold?.find(({ id }) => id === chosen) ?? sold?.[0];
  const isOnce = price?.type === 'one_time';
  const problems = problemsOf(
    create.error,
    ['priceId', 'quantity', 'trialDays', 'promotionCode'],
    PROMOTION_CODE_REFUSALS,
  );
  const submit = (fields: FormData) => {
    if (!price) return;
    const checkout = {
      customerId,
      priceId: price.id,
      quantity: Number(textOf(fields, 'quantity') || 1),
      successUrl: location.href,
      cancelUrl: location.href,
      promotionCode: textOf(fields, 'promotionCode') || undefined,
    };
    const trialDays = Number(textOf(fields, 'trialDays')) || undefined;
    create.mutate(isOnce ? { ...checkout, mode: 'payment' } : { ...checkout, mode: 'subscription', trialDays });
  };
  return (
    <FormDialog
      title="New checkout"
      action="Make the link"
      write={{ isPending: create.isPending || !price, error: create.error, mutate: submit }}
      problems={problems}
      onClose={onClose}
    >
      <SelectField
        label="Price"
        name="price"
        value={price?.id}
        onChange={event => setChosen(event.target.value)}
        problem={problems.of.priceId}
      >
        {sold ? <PriceOptions of={sold} /> : <option>One moment…</option>}
      </SelectField>
      <div className="form-grid">
        {price?.usageType !== 'metered' && (
          <QuantityField name="quantity" defaultValue={1} problem={problems.of.quantity} />
        )}
        {!isOnce && (
          <TextField
            label="Free trial, in days"
            name="trialDays"
            type="number"
            min={0}
            max={730}
            placeholder="None"
            problem={problems.of.trialDays}
          />
        )}
      </div>
      <PromotionCodeField name="promotionCode" placeholder="None" problem={problems.of.promotionCode} />
    </FormDialog>
  );
}

const CheckoutLink = ({ url }: { readonly url: string }) => (
  <>
    <p className="muted">The customer pays here. The link is valid for a day.</p>
    <Snippet label="Checkout link" text={url} />
    <div className="dialog-actions">
      <a className="button primary" href={url} target="_blank" rel="noopener noreferrer">
        Open it
      </a>
    </div>
  </>
);

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
