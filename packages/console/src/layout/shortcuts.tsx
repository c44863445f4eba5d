import { Fragment, useEffect, useEffectEvent, useState } from 'react';
import { useClose } from '#resource/dialog-button.tsx';
import { Dialog } from '#ui/dialog.tsx';

export const PALETTE_KEYS = /Mac|iP(hone|ad)/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K';
const MEANINGS = {
  [PALETTE_KEYS]: 'Search, open a page, or do something',
  '/': 'Search what the page lists',
  '?': 'Show these shortcuts',
  'Tab, Enter': 'Reach and press what is on the page',
  Esc: 'Close a dialog or a menu',
};

const KEY = 'single-keys';
const OFF = 'off';
const FIELDS = 'input, select, textarea, [contenteditable]';

interface Shortcuts {
  readonly onPalette: () => void;
  readonly onSheet: () => void;
}

/** Runs the shortcuts of the console: none beside an open dialog, and those of a single key not while the reader types. */
export function useShortcuts({ onPalette, onSheet }: Shortcuts): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const isSingle = !(event.metaKey || event.ctrlKey || event.altKey);
    const isTyping = event.target instanceof Element && event.target.closest(FIELDS);
    if (document.querySelector('dialog[open], :popover-open')) return;
    if (isSingle && (isTyping || localStorage.getItem(KEY) === OFF)) return;
    const search = document.querySelector<HTMLElement>('#content [type=search]');
    if (event.key === 'k' && (event.metaKey || event.ctrlKey)) onPalette();
    else if (event.key === '/' && isSingle && search) search.focus();
    else if (event.key === '/' && isSingle) onPalette();
    else if (event.key === '?' && isSingle) onSheet();
    else return;
    event.preventDefault();
  });
  useEffect(() => {
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

/** Says which shortcuts there are. Those of a single key can be switched off, as speech input may press them. */
export function ShortcutSheet() {
  const [isOn, setOn] = useState(localStorage.getItem(KEY) !== OFF);
  return (
    <Dialog title="Keyboard shortcuts" onClose={useClose()}>
      <dl className="details">
        {Object.entries(MEANINGS).map(([keys, meaning]) => (
          <Fragment key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </Fragment>
        ))}
      </dl>
      <label className="check">
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ target }) => {
            localStorage.setItem(KEY, target.checked ? 'on' : OFF);
            setOn(target.checked);
          }}
        />
        Use / and ? as shortcuts
      </label>
    </Dialog>
  );
}
