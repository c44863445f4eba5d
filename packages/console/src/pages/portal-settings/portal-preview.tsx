import type { PortalConfig } from '@billing/client';
import { Card } from '#layout/page.tsx';
import { Options } from '#ui/field.tsx';
import { ErrorState } from '#ui/states.tsx';
import { LANGUAGES } from './languages.ts';

interface PortalPreviewProps {
  /** The address of the page; undefined until it is known. */
  readonly src: string | undefined;
  readonly error: unknown;
  readonly onRetry: () => void;
  readonly language: PortalConfig['defaultLanguage'];
  readonly onLanguage: (language: PortalConfig['defaultLanguage']) => void;
}

/** The page as customers would see it, with sample data. */
export const PortalPreview = ({ src, error, onRetry, language, onLanguage }: PortalPreviewProps) => (
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
