import { EVENT_TYPES, type WebhookEndpoint } from '@billing/client';
import { useProject } from '#api/project.ts';
import { useWrite } from '#layout/use-write.ts';
import { SelectField } from '#ui/field.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { textOf } from '#ui/form.tsx';
import { AttemptDetails } from './attempt-details.tsx';

interface TestDialogProps {
  readonly endpoint: WebhookEndpoint;
  readonly onClose: () => void;
}

const TYPES = ['ping', ...EVENT_TYPES] as const;

/** Sends an event with example data, and shows how the endpoint answers. */
export function TestDialog({ endpoint: { id }, onClose }: TestDialogProps) {
  const { billing } = useProject();
  const test = useWrite({
    // Whoever has sent too many reads so at once, instead of waiting up to a minute for the next one.
    write: (fields: FormData) => {
      const type = TYPES.find(name => name === textOf(fields, 'type'));
      return billing.webhookEndpoints.test(id, { type }, { maxRetries: 0 });
    },
    stale: [],
  });
  return (
    <FormDialog title="Send a test" action={test.data ? 'Send again' : 'Send'} write={test} onClose={onClose}>
      <SelectField label="Event" name="type" hint="It has example data and “test”: true, and is sent once.">
        {TYPES.map(type => (
          <option key={type}>{type}</option>
        ))}
      </SelectField>
      <div role="status">{test.data && !test.isPending && <AttemptDetails attempt={test.data} />}</div>
    </FormDialog>
  );
}
