import type { CheckoutCreate } from '@billing/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { problemsOf } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { pricesQuery, productsQuery } from '#api/queries.ts';
import { ErrorState } from '#ui/states.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { formatPrice } from '#ui/amount.ts';
import { Button } from '#ui/button.tsx';
import { Snippet } from '#ui/copy.tsx';
import { Dialog } from '#ui/dialog.tsx';
import { SelectField, TextField } from '#ui/field.tsx';
import { Form, FormActions, FormProblem, textOf } from '#ui/form.tsx';

/** Makes a link where a customer pays for a price. */
export function CheckoutDialog({ customerId, onClose }: { readonly customerId: string; readonly onClose: () => void }) {
  const { billing } = useProject();
  const create = useMutation({ mutationFn: (checkout: CheckoutCreate) => billing.checkout.create(checkout) });
  return (
    <Dialog title="New checkout" onClose={onClose}>
      {create.data ? (
        <>
          <p className="muted">The customer pays here. The link is valid for a day.</p>
          <Snippet label="Checkout link" text={create.data.url} />
          <div className="dialog-actions">
            <a className="button primary" href={create.data.url} target="_blank" rel="noopener noreferrer">
              Open it
            </a>
          </div>
        </>
      ) : (
        <CheckoutForm
          customerId={customerId}
          busy={create.isPending}
          error={create.error}
          onSubmit={create.mutate}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

interface CheckoutFormProps {
  readonly customerId: string;
  readonly busy: boolean;
  readonly error: unknown;
  readonly onSubmit: (checkout: CheckoutCreate) => void;
  readonly onClose: () => void;
}

function CheckoutForm({ customerId, busy, error, onSubmit, onClose }: CheckoutFormProps) {
  const scope = useProject();
  const products = useQuery(productsQuery(scope));
  const prices = useQuery(pricesQuery(scope));
  const [chosen, setChosen] = useState<string>();
  const failed = prices.error ?? products.error;
  if (failed) return <ErrorState error={failed} />;
  const sold = products.data && prices.data?.filter(({ isActive }) => isActive);
  if (sold?.length === 0)
    return (
      <>
        <p>
          There is no price to sell yet. Create one under <ProjectLink page="products">Products</ProjectLink>.
        </p>
        <div className="dialog-actions">
          <Button onClick={onClose}>Go back</Button>
        </div>
      </>
    );

  const price = sold?.find(({ id }) => id === chosen) ?? sold?.[0];
  const isOnce = price?.type === 'one_time';
  const problems = problemsOf(error, ['priceId', 'quantity', 'trialDays']);
  const submit = (fields: FormData) => {
    if (!price) return;
    const checkout = {
      customerId,
      priceId: price.id,
      quantity: Number(textOf(fields, 'quantity') || 1),
      successUrl: location.href,
      cancelUrl: location.href,
    };
    const trialDays = Number(textOf(fields, 'trialDays')) || undefined;
    onSubmit(isOnce ? { ...checkout, mode: 'payment' } : { ...checkout, mode: 'subscription', trialDays });
  };
  return (
    <Form onSubmit={submit}>
      <SelectField
        label="Price"
        name="price"
        value={price?.id}
        onChange={event => setChosen(event.target.value)}
        problem={problems.of.priceId}
      >
        {sold?.map(({ id, productId, ...it }) => (
          <option key={id} value={id}>
            {products.data?.find(product => product.id === productId)?.name}: {formatPrice({ id, productId, ...it })}
          </option>
        )) ?? <option>One moment…</option>}
      </SelectField>
      <div className="form-grid">
        {price?.usageType !== 'metered' && (
          <TextField
            label="Quantity"
            name="quantity"
            type="number"
            min={1}
            max={999_999}
            required
            defaultValue={1}
            problem={problems.of.quantity}
          />
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
      <FormProblem error={problems.rest} />
      <FormActions busy={busy || !price} onClose={onClose}>
        Make the link
      </FormActions>
    </Form>
  );
}
