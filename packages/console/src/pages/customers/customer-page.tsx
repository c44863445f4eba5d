import type { Customer } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { lazyRouteComponent, useParams } from '@tanstack/react-router';
import { customerTitle } from '#api/customer-names.ts';
import { useProject } from '#api/project.ts';
import { customerQuery } from '#api/queries.ts';
import { LoadingPage } from '#layout/loading.tsx';
import { Card, Page } from '#layout/page.tsx';
import { DialogButton, useDialog } from '#resource/dialog-button.tsx';
import { ConfirmWrite } from '#resource/write-dialogs.tsx';
import { CopyableId } from '#ui/copy.tsx';
import { Details, MetadataRows } from '#ui/details.tsx';
import { Menu } from '#ui/menu.tsx';
import { StripeId } from '#ui/open-in-stripe.tsx';
import { Time } from '#ui/time.tsx';
import { ClockNotice } from '../test-clocks/clock-notice.tsx';
import { BillingCard } from './billing-card.tsx';
import { CustomerDialog } from './customer-dialog.tsx';
import { CustomerHistory } from './customer-history.tsx';
import { CustomerReferral } from './customer-referral.tsx';
import { CustomerSubscriptions } from './customer-subscriptions.tsx';
import { CustomerSummary } from './customer-summary.tsx';
import { EntitlementsCard } from './entitlements-card.tsx';
import { PortalLinkDialog } from './portal-link-dialog.tsx';
import { UsageCard } from './usage-card.tsx';

const CheckoutDialog = lazyRouteComponent(() => import('../sales/sale-dialog.tsx'), 'CheckoutDialog');
const NewSubscriptionDialog = lazyRouteComponent(() => import('../sales/sale-dialog.tsx'), 'NewSubscriptionDialog');
const NewInvoiceDialog = lazyRouteComponent(() => import('../invoices/new-invoice-dialog.tsx'), 'NewInvoiceDialog');

const UP = { page: 'customers', title: 'Customers' } as const;

/** Everything about one customer on one page. */
export function CustomerPage() {
  const scope = useProject();
  const { customerId = '' } = useParams({ strict: false });
  const query = useQuery(customerQuery(scope, customerId));

  const { data: customer } = query;
  if (!customer) return <LoadingPage query={query} title="Customer" up={UP} />;
  const { id, name, email, testClockId, createdAt } = customer;
  return (
    <Page
      title={customerTitle(customer)}
      lead={
        <>
          {name?.trim() && email && <>{email} · </>}Customer since <Time at={createdAt} />
        </>
      }
      up={UP}
      actions={<CustomerActions customer={customer} />}
    >
      {testClockId && <ClockNotice testClockId={testClockId} />}
      <CustomerSummary customerId={id} />
      <div className="split">
        <div className="stack">
          <CustomerSubscriptions customerId={id} />
          <CustomerHistory customer={customer} />
        </div>
        <div className="stack">
          <EntitlementsCard customerId={id} />
          <CustomerDetails customer={customer} />
          <CustomerReferral customerId={id} />
          <BillingCard customerId={id} />
          <UsageCard customer={customer} />
        </div>
      </div>
    </Page>
  );
}

/** What can be done about a customer; what is rare stands in a menu. */
function CustomerActions({ customer }: { readonly customer: Customer }) {
  const { id, email } = customer;
  const more = useDialog((action: 'Edit…' | 'Delete…') =>
    action === 'Edit…' ? <CustomerDialog customer={customer} /> : <DeleteCustomer customer={customer} />,
  );
  return (
    <>
      <DialogButton icon="plus" dialog={<NewSubscriptionDialog customerId={id} />}>
        New subscription
      </DialogButton>
      <DialogButton icon="plus" dialog={<CheckoutDialog customerId={id} />}>
        New checkout
      </DialogButton>
      <DialogButton icon="plus" dialog={<NewInvoiceDialog customerId={id} />}>
        New invoice
      </DialogButton>
      <DialogButton icon="external" dialog={<PortalLinkDialog customerId={id} email={email} />}>
        Portal link
      </DialogButton>
      <Menu label="More" isPlain>
        {(['Edit…', 'Delete…'] as const).map(action => (
          <button key={action} type="button" className="menu-item" onClick={() => more.open(action)}>
            {action}
          </button>
        ))}
      </Menu>
      {more.dialog}
    </>
  );
}

function CustomerDetails({ customer }: { readonly customer: Customer }) {
  const { id, externalId, processorCustomerId, metadata } = customer;
  return (
    <Card title="Details">
      <Details
        narrow
        of={{
          Id: <CopyableId id={id} />,
          'External id': externalId && <CopyableId id={externalId} />,
          'Stripe id': <StripeId id={processorCustomerId} what="the customer" />,
        }}
      >
        <MetadataRows metadata={metadata} />
      </Details>
    </Card>
  );
}

/** Deletes a customer here, once that is confirmed. */
function DeleteCustomer({ customer }: { readonly customer: Customer }) {
  const { billing, key } = useProject();
  return (
    <ConfirmWrite
      title="Delete the customer"
      action="Delete"
      write={() => billing.customers.delete(customer.id)}
      stale={[key('customers')]}
      done="The customer is deleted here."
      opens={() => 'customers'}
    >
      <bdi>{customerTitle(customer)}</bdi> disappears from this project, for good. The customer in Stripe stays, and so
      do its subscriptions there: cancel them first if they should end.
    </ConfirmWrite>
  );
}
