import type { WebhookEndpoint, WebhookEndpointCreate } from '@billing/client';
import { problemsOf } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { useOpenPage } from '#layout/project-link.tsx';
import { useWrite } from '#layout/use-write.ts';
import { TextField } from '#ui/field.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { textOf } from '#ui/form.tsx';
import { EventTypesField } from './event-types-field.tsx';
import { SecretDialog } from './secret-dialog.tsx';

const MAX_CONCURRENCY = 50;
const DEFAULTS = { eventTypes: ['*'], maxConcurrency: 10, includeSync: false, url: '', description: '' } as const;

interface EndpointDialogProps {
  readonly endpoint?: WebhookEndpoint;
  readonly onClose: () => void;
}

/** Creates an endpoint and shows its secret, or changes one. */
export function EndpointDialog({ endpoint, onClose }: EndpointDialogProps) {
  const { billing, key } = useProject();
  const openPage = useOpenPage();
  const save = useWrite({
    write: async (fields: FormData) => {
      const body = {
        url: textOf(fields, 'url'),
        // The form offers known types only.
        eventTypes: fields.getAll('eventType') as WebhookEndpointCreate['eventTypes'] & object,
        maxConcurrency: Number(textOf(fields, 'maxConcurrency')),
        includeSync: fields.has('includeSync'),
      };
      const description = textOf(fields, 'description') || null;
      if (!endpoint)
        return billing.webhookEndpoints.create({
          ...body,
          ...(description !== null && { description }),
          ...(fields.get('secret') && { secret: textOf(fields, 'secret') }),
        });
      await billing.webhookEndpoints.update(endpoint.id, { ...body, description });
      return undefined;
    },
    stale: [key('webhook-endpoints')],
    done: `The endpoint is ${endpoint ? 'changed' : 'created'}.`,
    onDone: created => {
      if (!created) onClose();
    },
  });
  if (save.data) {
    const { webhookEndpoint, secret } = save.data;
    const open = () => {
      onClose();
      openPage(`webhook-endpoints/${webhookEndpoint.id}`);
    };
    return <SecretDialog title="The secret of the endpoint" secret={secret} onClose={open} />;
  }
  const problems = problemsOf(
    save.error,
    ['url', 'description', 'eventTypes', 'maxConcurrency', 'includeSync', 'secret'],
    { webhook_url_not_allowed: 'url' },
  );
  const { of } = problems;
  const shown = endpoint ?? DEFAULTS;
  return (
    <FormDialog
      title={endpoint ? 'Edit the endpoint' : 'New endpoint'}
      action={endpoint ? 'Save' : 'Create the endpoint'}
      write={save}
      problems={problems}
      onClose={onClose}
    >
      <TextField
        label="URL"
        name="url"
        type="url"
        required
        defaultValue={shown.url}
        placeholder="https://shop.example/webhooks/billing"
        hint="https, at a public address."
        problem={of.url}
      />
      <TextField
        label="Description"
        name="description"
        maxLength={500}
        defaultValue={shown.description ?? ''}
        problem={of.description}
      />
      <EventTypesField eventTypes={shown.eventTypes} problem={of.eventTypes && 'Choose at least one.'} />
      <TextField
        label="Requests at once, at most"
        name="maxConcurrency"
        type="number"
        min={1}
        max={MAX_CONCURRENCY}
        required
        defaultValue={shown.maxConcurrency}
        hint="Events of one object come one after another anyway."
        problem={of.maxConcurrency}
      />
      {!endpoint && (
        <TextField
          label="Secret of your own"
          name="secret"
          autoComplete="off"
          maxLength={128}
          hint="One is made unless you have one: whsec_ and base64."
          problem={of.secret}
        />
      )}
      <label className="check">
        <input type="checkbox" name="includeSync" defaultChecked={shown.includeSync} />
        Send what imports and syncs change, too
      </label>
    </FormDialog>
  );
}
