import { useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

function useCopy(text: string) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), 1_500);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return { copied, copy: () => void copy() };
}

/** An id that a click copies. */
export function CopyableId({ id, label = 'Copy' }: { readonly id: string; readonly label?: string }) {
  const { copied, copy } = useCopy(id);
  return (
    <button type="button" className="copyable" onClick={copy} aria-label={`${label} ${id}`}>
      <code className="truncate">{id}</code>
      <Icon name={copied ? 'check' : 'copy'} size={14} />
      <span role="status" className="visually-hidden">
        {copied ? 'Copied' : ''}
      </span>
    </button>
  );
}

/** Code or a secret with a button that copies it. */
export function Snippet({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div className="snippet">
      {/* A region that scrolls must be reachable by keyboard. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} aria-label={label} role="region">
        {text}
      </pre>
      <CopyButton text={text} label={`Copy: ${label}`}>
        Copy
      </CopyButton>
    </div>
  );
}

interface CopyButtonProps {
  readonly text: string;
  /** Where what is written on it does not say what it copies. */
  readonly label?: string;
  readonly children: string;
}

export function CopyButton({ text, label, children }: CopyButtonProps) {
  const { copied, copy } = useCopy(text);
  return (
    <Button small icon={copied ? 'check' : 'copy'} onClick={copy} aria-label={label}>
      {copied ? 'Copied' : children}
    </Button>
  );
}
