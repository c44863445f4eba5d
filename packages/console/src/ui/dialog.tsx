import { useEffect, useId, useRef, type ReactNode } from 'react';
import { Button } from './button.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** What the reader says with its one button, which closes it. */
  readonly done?: string;
  readonly children: ReactNode;
}

/**
 * A modal dialog that is open while it is rendered. Escape and a click beside it close it. The focus stays in it, also when
 * what had it goes away, and returns to where it was.
 */
export function Dialog({ title, onClose, done, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (!dialog) return undefined;
    const opener = findOpener();
    dialog.showModal();
    focusFirst(dialog);
    const changes = new MutationObserver(() => {
      if (document.activeElement === document.body) focusFirst(dialog);
    });
    changes.observe(dialog, { childList: true, subtree: true, attributeFilter: ['disabled', 'hidden'] });
    let isSent = false;
    dialog.addEventListener('submit', () => (isSent = true));
    return () => {
      changes.disconnect();
      returnFocus(opener);
      if (isSent && opener === document.activeElement) ignoreSecondEnter(opener);
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
      <div className="dialog-body stack">
        {children}
        {done && (
          <div className="dialog-actions">
            <Button kind="primary" onClick={onClose}>
              {done}
            </Button>
          </div>
        )}
      </div>
    </dialog>
  );
}

/** What has the focus; of what is in a sheet, which closes for the dialog, the button of the sheet. */
function findOpener(): Element | null {
  const sheet = document.activeElement?.closest('[popover]');
  return sheet ? document.querySelector(`[popovertarget="${sheet.id}"]`) : document.activeElement;
}

/** Within this time Enter was meant to be pressed once. */
const DOUBLE_PRESS_MS = 500;

/** What has opened a dialog is not opened again by the key that has sent its form. */
function ignoreSecondEnter(opener: Element | null): void {
  const ignore = (event: Event) => event instanceof KeyboardEvent && event.key === 'Enter' && event.preventDefault();
  opener?.addEventListener('keydown', ignore);
  setTimeout(() => opener?.removeEventListener('keydown', ignore), DOUBLE_PRESS_MS);
}

/**
 * Neither the button that closes it, unless there is nothing else, nor one that takes something away; of choices the chosen
 * one.
 */
function focusFirst(dialog: HTMLElement): void {
  const FIELDS = 'input:not([type=radio]), input:checked, select, textarea, button:not(.danger), a';
  const first = dialog.querySelector<HTMLElement>(`.dialog-body :is(${FIELDS}):not(:disabled)`);
  (first ?? dialog.querySelector('button'))?.focus();
}

/**
 * Gives the focus back to what had it, and to the page once that is gone: what was done in a dialog may take its button away,
 * at once or when the record is read again.
 */
function returnFocus(opener: Element | null): void {
  const page = document.getElementById('content');
  if (!(opener instanceof HTMLElement && opener.isConnected) || opener === document.body) {
    page?.focus();
    return;
  }
  opener.focus();
  const removals = new MutationObserver(() => {
    const isLost = document.activeElement === document.body;
    if (document.activeElement === opener || (isLost && opener.isConnected)) return;
    if (isLost) page?.focus();
    removals.disconnect();
  });
  removals.observe(document.body, { childList: true, subtree: true });
}
