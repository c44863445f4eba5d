import type { WebhookEndpoint, WebhookEndpointCreate } from '@billing/client';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { useOpenPage } from '#layout/project-link.tsx';
import { useClose } from '#resource/dialog-button.tsx';
import { control } from '#resource/fields.tsx';
import { wordsOf, WriteDialog } from '#resource/write-dialogs.tsx';
import { Snippet } from '#ui/copy.tsx';
import { Dialog } from '#ui/dialog.tsx';
import { textOf } from '#ui/form.tsx';
import { FAMILIES } from './event-types.ts';

const MAX_CONCURRENCY = 50;
const DEFAULTS = { eventTypes: ['*'], maxConcurrency: 10 } as const;

/** Creates an endpoint and shows its secret, or changes one. */
export function EndpointDialog({ endpoint }: { readonly endpoint?: WebhookEndpoint }) {
  const { billing, key } = useProject();
  const close = useClose();
  const openPage = useOpenPage();
  const words = wordsOf('endpoint', !endpoint);
  const save = async (fields: FormData) => {
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
  };
  return (
    <WriteDialog
      {...words}
      write={save}
      stale={[key('webhook-endpoints')]}
      done={`${words.done}.`}
      result={({ webhookEndpoint, secret }) => {
        const open = () => {
          close();
          openPage(`webhook-endpoints/${webhookEndpoint.id}`);
        };
        return <SecretDialog title="The secret of the endpoint" secret={secret} onClose={open} />;
      }}
      refusals={{ webhook_url_not_allowed: 'url' }}
      values={endpoint ?? DEFAULTS}
      fields={[
        {
          name: 'url',
          label: 'URL',
          type: 'url',
          required: true,
          placeholder: 'https://shop.example/webhooks/billing',
          hint: 'https, at a public address.',
        },
        { name: 'description', label: 'Description', maxLength: 500 },
        control(EventTypesField, { name: 'eventTypes', eventTypes: (endpoint ?? DEFAULTS).eventTypes }),
        {
          name: 'maxConcurrency',
          label: 'Requests at once, at most',
          type: 'number',
          min: 1,
          max: MAX_CONCURRENCY,
          required: true,
          hint: 'Events of one object come one after another anyway.',
        },
        !endpoint && {
          name: 'secret',
          label: 'Secret of your own',
          autoComplete: 'off',
          maxLength: 128,
          hint: 'One is made unless you have one: whsec_ and base64.',
        },
        { kind: 'check', name: 'includeSync', label: 'Send what imports and syncs change, too' },
      ]}
    />
  );
}

interface EventTypesFieldProps {
  readonly eventTypes: readonly string[];
  readonly problem: string | undefined;
}

/** The types of events that an endpoint gets: all, all about something (`invoice.*`), or exact ones. */
function EventTypesField({ eventTypes, problem }: EventTypesFieldProps) {
  const [isAll, setIsAll] = useState(eventTypes.includes('*'));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(eventTypes.filter(type => type !== '*')));
  const set = (type: string, isChosen: boolean) => {
    const next = new Set(chosen);
    if (isChosen) next.add(type);
    else next.delete(type);
    setChosen(next);
  };
  return (
    <fieldset className="field">
      <legend>It gets</legend>
      <label className="check">
        <input type="radio" name="which" checked={isAll} onChange={() => setIsAll(true)} />
        All events
      </label>
      <label className="check">
        <input type="radio" name="which" checked={!isAll} onChange={() => setIsAll(false)} />
        Only some
      </label>
      {isAll && <input type="hidden" name="eventType" value="*" />}
      {!isAll &&
        FAMILIES.map(({ all, name, types }) => {
          const hasAll = chosen.has(all);
          const count = types.filter(type => chosen.has(type)).length;
          return (
            <details key={all} className="more">
              <summary>
                {name} <span className="muted">{hasAll ? 'all' : count > 0 && `${count} of ${types.length}`}</span>
              </summary>
              <div className="checks">
                <label className="check">
                  <input
                    type="checkbox"
                    name="eventType"
                    value={all}
                    checked={hasAll}
                    onChange={event => set(all, event.target.checked)}
                  />
                  All, also later ones
                </label>
                {types.map(type => (
                  <label key={type} className="check">
                    <input
                      type="checkbox"
                      name="eventType"
                      value={type}
                      disabled={hasAll}
                      checked={hasAll || chosen.has(type)}
                      onChange={event => set(type, event.target.checked)}
                    />
                    {type}
                  </label>
                ))}
              </div>
            </details>
          );
        })}
      <div className="field-note">
        {problem && (
          <span className="problem" role="alert">
            {problem}
          </span>
        )}
      </div>
    </fieldset>
  );
}

interface SecretDialogProps {
  readonly title: string;
  readonly secret: string;
  readonly onClose: () => void;
}

/** A new secret of an endpoint, which is shown once. */
export const SecretDialog = ({ title, secret, onClose }: SecretDialogProps) => (
  <Dialog title={title} done="I have copied it" onClose={onClose}>
    <p>
      Copy the secret now: it is shown only this once. With it your system checks that an event comes from here, as the
      page of the endpoint shows.
    </p>
    <Snippet label="Secret" text={secret} />
  </Dialog>
);
