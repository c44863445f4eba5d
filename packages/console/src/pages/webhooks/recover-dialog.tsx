import type { WebhookEndpoint } from '@billing/client';
import { useState } from 'react';
import { problemsOf } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { useWrite } from '#layout/use-write.ts';
import { formatCount } from '#ui/amount.ts';
import { Choices } from '#ui/choices.tsx';
import { TextField } from '#ui/field.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { textOf } from '#ui/form.tsx';
import { localText } from '#ui/local-text.ts';

interface RecoverDialogProps {
  readonly endpoint: WebhookEndpoint;
  readonly onClose: () => void;
}

const DAY_MS = 86_400_000;

const WHICH = {
  failed: 'Those that failed for good',
  missing: 'Those that it never got, such as those before it was made',
  all: 'All, also those that arrived',
} as const;
type Which = keyof typeof WHICH;
const NAMES = Object.keys(WHICH) as Which[]; // an object's keys are typed as string

/** Sends past events to an endpoint again. */
export function RecoverDialog({ endpoint: { id, status }, onClose }: RecoverDialogProps) {
  const { billing, key } = useProject();
  const recover = useWrite({
    write: async (fields: FormData) => {
      const until = textOf(fields, 'until');
      return billing.webhookEndpoints.recover(id, {
        since: new Date(textOf(fields, 'since')),
        ...(until && { until: new Date(until) }),
        only: NAMES.find(name => name === textOf(fields, 'only')) ?? 'failed',
      });
    },
    stale: [key('webhook-endpoints'), key('webhook-deliveries')],
    done: ({ matched }) => {
      if (matched === 0) return 'There is nothing to send again.';
      const when = status === 'disabled' ? ' once the endpoint is enabled' : '';
      return matched === 1
        ? `One event is sent again${when}.`
        : `${formatCount(matched)} events are sent again${when}.`;
    },
    onDone: onClose,
  });
  const [aDayAgo] = useState(() => localText(new Date(Date.now() - DAY_MS)));
  const problems = problemsOf(recover.error, ['since', 'until']);
  return (
    <FormDialog title="Recover events" action="Send them again" write={recover} problems={problems} onClose={onClose}>
      <Choices legend="Which events of this time it gets" name="only" options={WHICH} first="failed" />
      <div className="form-grid">
        <TextField
          label="From"
          name="since"
          type="datetime-local"
          required
          defaultValue={aDayAgo}
          problem={problems.of.since}
        />
        <TextField
          label="Until"
          name="until"
          type="datetime-local"
          hint="Until now unless given."
          problem={problems.of.until}
        />
      </div>
    </FormDialog>
  );
}
