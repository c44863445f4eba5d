import { useState } from 'react';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

function useCopy(text: string) {
  const [outcome, setOutcome] = useState<'copied' | 'failed'>();
  const copy = async () => {
    setOutcome((await copyText(text)) ? 'copied' : 'failed');
    setTimeout(() => setOutcome(undefined), 1_500);
  };
  const said = outcome && { copied: 'Copied', failed: 'Not copied: select it' }[outcome];
  return { copied: outcome === 'copied', said, copy: () => void copy() };
}

/** Returns whether a text was copied. Pages on plain http have no clipboard, but the command that copies a selection. */
export async function copyText(text: string): Promise<boolean> {
  const { clipboard } = navigator as { readonly clipboard?: Clipboard }; // absent outside of a secure context
  if (clipboard)
    return clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  const focused = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'visually-hidden';
  // What is beside an open dialog cannot be selected.
  (focused?.closest('dialog') ?? document.body).append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}

/** An id that a click copies. */
export function CopyableId({ id, label = 'Copy' }: { readonly id: string; readonly label?: string }) {
  const { copied, said, copy } = useCopy(id);
  return (
    <button type="button" className="copyable" onClick={copy} aria-label={`${label} ${id}`}>
      <code className="truncate">{id}</code>
      <Icon name={copied ? 'check' : 'copy'} size={14} />
      <span role="status" className="visually-hidden">
        {said}
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
  const { copied, said, copy } = useCopy(text);
  return (
    <Button small icon={copied ? 'check' : 'copy'} onClick={copy} aria-label={label}>
      {said ?? children}
    </Button>
  );
}
