import { useEffect, useId, useRef, type ReactNode } from 'react';
import { Button } from './button.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A modal dialog that is open while it is rendered. Escape and a click beside it close it. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const opener = document.activeElement;
    ref.current?.showModal();
    // Neither the button that closes it, which comes first, nor one that takes something away; of choices the chosen one.
    const fields = 'input:not([type=radio]), input:checked, select, textarea, button:not(.danger), a';
    ref.current?.querySelector<HTMLElement>(`.dialog-body :is(${fields})`)?.focus();
    return () => {
      // What the dialog did may have removed its opener.
      const next = opener?.isConnected ? opener : document.querySelector('main');
      if (next instanceof HTMLElement) next.focus();
    };
  }, []);
  return (
    // A click beside the content; by keyboard, Escape does the same.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      onCancel={event => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={event => {
        if (event.target === ref.current) onClose();
      }}
    >
      <div className="dialog-head">
        <h2 id={titleId}>{title}</h2>
        <Button kind="quiet" small icon="close" onClick={onClose} aria-label="Close" />
      </div>
      <div className="dialog-body stack">{children}</div>
    </dialog>
  );
}
