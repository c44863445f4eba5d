import type { Customer } from '@billing/client';
import { customerTitle } from '#api/customer-names.ts';
import { useProject } from '#api/project.ts';
import { useOpenPage } from '#layout/project-link.tsx';
import { useWrite } from '#layout/use-write.ts';
import { ConfirmDialog } from '#ui/confirm-dialog.tsx';

export function DeleteCustomer({ customer, onClose }: { readonly customer: Customer; readonly onClose: () => void }) {
  const { billing, key } = useProject();
  const openPage = useOpenPage();
  const remove = useWrite({
    write: () => billing.customers.delete(customer.id),
    stale: [key('customers')],
    done: 'The customer is deleted here.',
    onDone: () => openPage('customers'),
  });
  return (
    <ConfirmDialog title="Delete the customer" action="Delete" write={remove} onClose={onClose}>
      <bdi>{customerTitle(customer)}</bdi> disappears from this project, for good. The customer in Stripe stays, and so
      do its subscriptions there: cancel them first if they should end.
    </ConfirmDialog>
  );
}
