import { useProject } from '#api/project.ts';
import { useOpenPage } from '#layout/project-link.tsx';
import { useWrite } from '#layout/use-write.ts';
import { FormDialog } from '#ui/form-dialog.tsx';
import { textOf } from '#ui/form.tsx';
import { CustomerSelect } from '../customers/customer-select.tsx';

/** Creates a code for a customer, who is found by a search. */
export function NewCodeDialog({ onClose }: { readonly onClose: () => void }) {
  const { billing, key } = useProject();
  const openPage = useOpenPage();
  const create = useWrite({
    write: (fields: FormData) => billing.referrals.createCode({ customerId: textOf(fields, 'customer') }),
    stale: [key('referral-codes')],
    onDone: ({ code }) => {
      onClose();
      openPage(`referrals/${code}`);
    },
  });
  return (
    <FormDialog title="New code" action="Create the code" write={create} onClose={onClose}>
      <CustomerSelect label="Referrer" name="customer" hint="A customer has one active code." />
    </FormDialog>
  );
}
