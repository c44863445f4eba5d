import type { Customer } from '@billing/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { useOpenPage } from '#layout/project-link.tsx';
import { ConfirmDialog } from '#ui/confirm-dialog.tsx';
import { useToasts } from '#ui/toasts.tsx';

export function DeleteCustomer({ customer, onClose }: { readonly customer: Customer; readonly onClose: () => void }) {
  const { billing, key } = useProject();
  const queryClient = useQueryClient();
  const openPage = useOpenPage();
  const toasts = useToasts();
  const remove = useMutation({
    mutationFn: () => billing.customers.delete(customer.id),
    onSuccess: async () => {
      openPage('customers');
      toasts.done('The customer is deleted here.');
      await queryClient.invalidateQueries({ queryKey: key('customers') });
    },
  });
  return (
    <ConfirmDialog
      title="Delete the customer"
      action="Delete"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <bdi>{customer.name ?? customer.email}</bdi> disappears from this project, for good. The customer in Stripe stays,
      and so do its subscriptions there: cancel them first if they should end.
    </ConfirmDialog>
  );
}
