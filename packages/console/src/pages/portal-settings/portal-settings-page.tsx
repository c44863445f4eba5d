import type { PortalConfig } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { problemsOf } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { Loading } from '#layout/loading.tsx';
import { Card, Page } from '#layout/page.tsx';
import { useWrite } from '#layout/use-write.ts';
import { useDebounced } from '#ui/debounced.ts';
import { Options } from '#ui/field.tsx';
import { Form } from '#ui/form.tsx';
import { ErrorState } from '#ui/states.tsx';
import { LANGUAGES } from './portal-form.ts';
import { BillingDetailsCard, CancellationCard, ChangesCard, LookCard, PauseCard } from './portal-fields.tsx';
import { configOf, FIELDS, formOf, type PortalForm, type PortalProblems } from './portal-form.ts';

/** The same in the request for a preview. */
const PREVIEWED = FIELDS.map(field => `portalConfig.${field}` as const);
const REFUSALS = { price_not_found: 'planSwitch.priceIds', promotion_code_: 'cancellation.saveOffer' } as const;
const TYPING_MS = 400;

/** What customers can do in the portal, and how it looks. */
export function PortalSettingsPage() {
  const { billing, key } = useProject();
  const query = useQuery({
    queryKey: key('portal-config'),
    queryFn: ({ signal }) => billing.portalConfig.get({ signal }),
    // What is written stays while it is edited.
    staleTime: Infinity,
    gcTime: 0,
  });
  return (
    <Page
      title="Portal"
      lead="What your customers can do in the portal, and how it looks. A link to it is made on the page of a customer."
    >
      {query.data ? (
        <Settings config={query.data} />
      ) : (
        <Card>
          <Loading query={query} lines={12} />
        </Card>
      )}
    </Page>
  );
}

function Settings({ config }: { readonly config: PortalConfig }) {
  const { billing, key } = useProject();
  const [form, setForm] = useState(() => formOf(config));
  const [language, setLanguage] = useState(config.defaultLanguage);
  const preview = usePreview(useDebounced(form, TYPING_MS), language);
  const save = useWrite({
    write: async (written: PortalForm) => billing.portalConfig.set(configOf(written)),
    stale: [key('portal-config')],
    done: 'The portal is changed, for every customer.',
  });
  // Other settings were not refused.
  const refusal = save.variables === form ? save.error : null;
  const problems = problemsOf(refusal, FIELDS, REFUSALS);
  const previewed = problemsOf(preview.error, PREVIEWED);
  const of = Object.fromEntries(
    FIELDS.map(field => [field, problems.of[field] ?? previewed.of[`portalConfig.${field}`]]),
  ) as PortalProblems; // with a key for each field
  const set = (changed: Partial<PortalForm>) => setForm({ ...form, ...changed });
  const fields = { form, set, problems: of };
  return (
    <div className="portal-settings">
      <Form action="Save" write={{ ...save, mutate: () => save.mutate(form) }} problems={problems}>
        <LookCard {...fields} />
        <ChangesCard {...fields} />
        <CancellationCard {...fields} />
        <PauseCard {...fields} />
        <BillingDetailsCard form={form} set={set} />
      </Form>
      <PortalPreview
        src={preview.url}
        error={previewed.rest}
        onRetry={preview.retry}
        language={language}
        onLanguage={setLanguage}
      />
    </div>
  );
}

/**
 * Returns the address of the portal's page with settings that are not saved, that of the last ones which the service took, and
 * why it takes others not.
 */
function usePreview(form: PortalForm, language: PortalConfig['defaultLanguage']) {
  const { billing, key } = useProject();
  const draft = { portalConfig: configOf(form), language };
  const { data, error, refetch } = useQuery({
    queryKey: key('portal-preview', draft),
    queryFn: ({ signal }) => billing.portalConfig.preview(draft, { signal }),
    staleTime: Infinity,
    gcTime: 0,
  });
  const [url, setUrl] = useState<string>();
  if (data && data.url !== url) setUrl(data.url);
  return { url, error, retry: () => void refetch() };
}

interface PortalPreviewProps {
  /** The address of the page; undefined until it is known. */
  readonly src: string | undefined;
  readonly error: unknown;
  readonly onRetry: () => void;
  readonly language: PortalConfig['defaultLanguage'];
  readonly onLanguage: (language: PortalConfig['defaultLanguage']) => void;
}

/** The page as customers would see it, with sample data. */
const PortalPreview = ({ src, error, onRetry, language, onLanguage }: PortalPreviewProps) => (
  <div className="portal-preview">
    <Card
      title="Preview"
      lead="With sample data, before it is saved."
      flush
      actions={
        <select
          className="chip-select"
          aria-label="Language of the preview"
          value={language}
          onChange={event => onLanguage(event.target.value as typeof language)} // its options
        >
          <Options of={LANGUAGES} />
        </select>
      }
    >
      {error ? (
        <ErrorState error={error} onRetry={onRetry} />
      ) : src === undefined ? (
        <div className="frame" role="status" aria-busy="true">
          <span className="skeleton fill" aria-hidden="true" />
          <span className="visually-hidden">Loading…</span>
        </div>
      ) : (
        // A new frame for each address: one that goes to another leaves an entry in the reader's history.
        <iframe key={src} className="frame" title="Preview of the portal" sandbox="" src={src} tabIndex={-1} />
      )}
    </Card>
  </div>
);
