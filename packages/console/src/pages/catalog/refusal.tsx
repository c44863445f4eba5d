import { BillingError } from '@billing/client';
import { ProjectLink } from '#layout/project-link.tsx';
import { FormProblem } from '#ui/form.tsx';
import { Notice } from '#ui/notice.tsx';

/** Why a document was not compared or applied, and the way on. */
export function Refusal({ error }: { readonly error: unknown }) {
  if (!(error instanceof BillingError)) return <FormProblem error={error} />;
  const { code, fields, details } = error;
  if (code === 'catalog_changed') {
    const keys = Array.isArray(details?.['keys']) ? details['keys'].map(String) : [];
    return (
      <Notice tone="bad" role="alert">
        Somebody has changed the catalog since this report{keys.length > 0 && <>: {keys.join(', ')}</>}. Nothing was
        applied. Compare again, and apply what you see then.
      </Notice>
    );
  }
  if (code === 'report_expired')
    return (
      <Notice tone="bad" role="alert">
        This report is more than a day old. Nothing was applied. Compare again, and apply what you see then.
      </Notice>
    );
  if (code === 'sync_running')
    return (
      <Notice tone="bad" role="alert">
        Your team compares or applies something else at the moment. Wait until that has ended, or stop it under{' '}
        <ProjectLink page="settings/syncs">Syncs</ProjectLink>.
      </Notice>
    );
  if (fields.length === 0) return <FormProblem error={error} />;
  return (
    <Notice tone="bad" role="alert">
      The document is not valid:
      <ul className="differences">
        {fields.map(({ path, message }) => (
          <li key={`${path} ${message}`}>
            <code>{path.replace(/^catalog\./, '')}</code>: {message}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
