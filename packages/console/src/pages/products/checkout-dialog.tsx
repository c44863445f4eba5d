import { useMutation, useQuery } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { pricesQuery, productsQuery } from '#api/queries.ts';
import { ProjectLink } from '#layout/project-link.tsx';
import { formatPrice } from '#ui/amount.ts';
import { Snippet } from '#ui/copy.tsx';
import { Dialog } from '#ui/dialog.tsx';
import { SelectField } from '#ui/field.tsx';
import { Form, FormActions, FormProblem, textOf } from '#ui/form.tsx';

/** Makes a link where a customer pays for a price. */
export function CheckoutDialog({ customerId, onClose }: { readonly customerId: string; readonly onClose: () => void }) {
  const scope = useProject();
  const { data: products = [] } = useQuery(productsQuery(scope));
  const { data: prices = [] } = useQuery(pricesQuery(scope));
  const sold = prices.filter(({ isActive }) => isActive);
  const create = useMutation({
    mutationFn: (priceId: string) => {
      const isOnce = prices.find(({ id }) => id === priceId)?.type === 'one_time';
      const back = location.href;
      return scope.billing.checkout.create({
        customerId,
        priceId,
        successUrl: back,
        cancelUrl: back,
        mode: isOnce ? 'payment' : 'subscription',
      });
    },
  });
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
        <Form onSubmit={fields => create.mutate(textOf(fields, 'price'))}>
          {sold.length === 0 && (
            <p>
              There is no price to sell yet. Create one under <ProjectLink page="products">Products</ProjectLink>.
            </p>
          )}
          <SelectField label="Price" name="price" required>
            {sold.map(price => (
              <option key={price.id} value={price.id}>
                {products.find(({ id }) => id === price.productId)?.name}: {formatPrice(price)}
              </option>
            ))}
          </SelectField>
          <FormProblem error={create.error} />
          <FormActions busy={create.isPending} onClose={onClose}>
            Make the link
          </FormActions>
        </Form>
      )}
    </Dialog>
  );
}
