import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { customerTitle } from '#api/customer-names.ts';
import { useProject } from '#api/project.ts';
import { customerQuery } from '#api/queries.ts';
import { LoadingPage } from '#layout/loading.tsx';
import { Page } from '#layout/page.tsx';
import { Records } from '#layout/records.tsx';
import { Button } from '#ui/button.tsx';
import { OpenInStripe } from '#ui/open-in-stripe.tsx';
import { EmptyState } from '#ui/states.tsx';
import { INVOICE_COLUMNS } from '../invoices/columns.tsx';
import { PAYMENT_COLUMNS } from '../payments/columns.tsx';
import { CheckoutDialog } from '../products/checkout-dialog.tsx';
import { SUBSCRIPTION_COLUMNS } from '../subscriptions/columns.tsx';
import { CustomerDialog } from './customer-dialog.tsx';
import { CustomerDetails } from './customer-details.tsx';
import { CustomerReferral } from './customer-referral.tsx';
import { CustomerTimeline } from './customer-timeline.tsx';
import { DeleteCustomer } from './delete-customer.tsx';
import { EntitlementsCard } from './entitlements-card.tsx';
import { GrantsCard } from './grants-card.tsx';
import { PaymentCard } from './payment-card.tsx';
import { PortalLinkButton } from './portal-link-button.tsx';

const UP = { page: 'customers', title: 'Customers' } as const;
const MAX_SHOWN = 100;

/** Everything about one customer on one page. */
export function CustomerPage() {
  const scope = useProject();
  const { billing, key } = scope;
  const { customerId = '' } = useParams({ strict: false });
  const query = useQuery(customerQuery(scope, customerId));
  const [dialog, setDialog] = useState<'edit' | 'delete' | 'checkout'>();
  const close = () => setDialog(undefined);

  const { data: customer } = query;
  if (!customer) return <LoadingPage query={query} title="Customer" up={UP} />;
  return (
    <Page
      title={customerTitle(customer)}
      lead={customer.name?.trim() && customer.email}
      up={UP}
      actions={
        <>
          <Button icon="plus" onClick={() => setDialog('checkout')}>
            New checkout
          </Button>
          <OpenInStripe id={customer.processorCustomerId} />
          <PortalLinkButton customerId={customer.id} />
          <Button onClick={() => setDialog('edit')}>Edit</Button>
          <Button onClick={() => setDialog('delete')}>Delete</Button>
        </>
      }
    >
      <div className="split">
        <div className="stack">
          <EntitlementsCard customerId={customer.id} />
          <GrantsCard customerId={customer.id} />
          <Records
            title="Subscriptions"
            queryKey={key('subscriptions', { customerId })}
            list={(page, signal) => billing.subscriptions.list({ customerId, activeOnly: false, ...page }, { signal })}
            columns={SUBSCRIPTION_COLUMNS}
            empty={
              <EmptyState icon="subscriptions" title="No subscriptions">
                “New checkout” makes a link where this customer subscribes.
              </EmptyState>
            }
          />
          <Records
            title="Invoices"
            queryKey={key('invoices', { customerId })}
            list={(page, signal) => billing.invoices.list({ customerId, ...page }, { signal })}
            columns={INVOICE_COLUMNS}
            empty={<EmptyState icon="invoices" title="No invoices" />}
          />
          <Records
            title="Payments"
            queryKey={key('payments', { customerId })}
            list={(page, signal) => billing.payments.list({ customerId, ...page }, { signal })}
            columns={PAYMENT_COLUMNS}
            empty={<EmptyState icon="payments" title="No payments" />}
          />
        </div>
        <div className="stack">
          <PaymentCard customerId={customer.id} />
          <CustomerDetails customer={customer} />
          <CustomerReferral customerId={customer.id} />
          <CustomerTimeline customer={customer} limit={MAX_SHOWN} />
        </div>
      </div>
      {dialog === 'edit' && <CustomerDialog customer={customer} onClose={close} />}
      {dialog === 'delete' && <DeleteCustomer customer={customer} onClose={close} />}
      {dialog === 'checkout' && <CheckoutDialog customerId={customer.id} onClose={close} />}
    </Page>
  );
}
