import type { Price } from '@billing/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { sessionQuery } from '#api/client.ts';
import { useProject } from '#api/project.ts';
import { randomHex } from '#api/random-hex.ts';
import { Button } from '#ui/button.tsx';
import { FormProblem } from '#ui/form.tsx';
import { Icon } from '#ui/icon.tsx';

/** Makes a checkout for a new customer and leads to its page. */
export function TestCheckout({
  price,
  done,
}: {
  readonly price: Price | undefined;
  /** Whether a payment has arrived already. */
  readonly done: boolean;
}) {
  const { billing } = useProject();
  const { data: current } = useQuery(sessionQuery);
  const create = useMutation({
    mutationFn: async ({ id: priceId, type }: Price) => {
      const customer = await billing.customers.create({
        email: testEmail(),
        name: `${current?.user.name ?? 'Test'} (test)`,
      });
      const back = location.href;
      const mode = type === 'one_time' ? 'payment' : 'subscription';
      return billing.checkout.create({ customerId: customer.id, priceId, successUrl: back, cancelUrl: back, mode });
    },
  });
  const { reset } = create;
  // A checkout that was paid is of no more use.
  useEffect(() => {
    if (done) reset();
  }, [done, reset]);
  if (!price)
    return <p className="muted">A customer pays on Stripe’s page; the webhook then tells us. You see both here.</p>;
  return (
    <div className="stack-s">
      <p className="muted">
        This creates a customer and a checkout for them, as your backend will. Pay there as that customer.
      </p>
      <div className="row">
        {create.data ? (
          <a className="button primary" href={create.data.url} target="_blank" rel="noopener noreferrer">
            Open the checkout
            <Icon name="external" />
          </a>
        ) : (
          <Button kind={done ? 'plain' : 'primary'} busy={create.isPending} onClick={() => create.mutate(price)}>
            Make a test checkout
          </Button>
        )}
      </div>
      <FormProblem error={create.error} />
    </div>
  );
}

const testEmail = (): string => `test-${randomHex(8)}@example.com`;
