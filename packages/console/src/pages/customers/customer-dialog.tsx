import type { Customer } from '@billing/client';
import { useProject } from '#api/project.ts';
import { control, metadata } from '#resource/fields.tsx';
import { wordsOf, WriteDialog } from '#resource/write-dialogs.tsx';
import { EmailField } from '#ui/field.tsx';
import { textOf } from '#ui/form.tsx';
import { changedMetadata, metadataOf } from '#ui/metadata-fields.tsx';

interface CustomerDialogProps {
  readonly customer?: Customer;
  /** The clock in whose time a new customer lives, on whose page it is created. */
  readonly testClockId?: string;
}

/** Creates a customer, or changes one. */
export function CustomerDialog({ customer, testClockId }: CustomerDialogProps) {
  const { billing, key } = useProject();
  const words = wordsOf('customer', !customer);
  return (
    <WriteDialog
      {...words}
      write={async fields => {
        const [email, name, externalId] = [
          textOf(fields, 'email'),
          textOf(fields, 'name'),
          textOf(fields, 'externalId'),
        ];
        return customer
          ? billing.customers.update(customer.id, {
              // Only a sync finds customers without one.
              email: email || undefined,
              name: name || null,
              externalId: externalId || null,
              metadata: changedMetadata(fields, customer.metadata),
            })
          : billing.customers.create({
              email,
              name: name || undefined,
              externalId: externalId || undefined,
              metadata: metadataOf(fields),
              testClockId,
            });
      }}
      stale={[key()]}
      done={`${words.done}, here and in Stripe.`}
      opens={customer || testClockId ? undefined : ({ id }) => `customers/${id}`}
      values={customer}
      fields={[
        control(EmailField, {
          name: 'email',
          required: customer?.email !== null,
          defaultValue: customer?.email ?? undefined,
        }),
        { name: 'name', label: 'Name', maxLength: 256 },
        { name: 'externalId', label: 'External id', maxLength: 255, hint: 'The customer’s id in your own system.' },
        metadata({ metadata: customer?.metadata }),
      ]}
    />
  );
}
