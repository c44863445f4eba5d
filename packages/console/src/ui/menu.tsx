import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { firstLetter } from './first-letter.ts';
import { Icon } from './icon.tsx';

interface MenuProps {
  /** What its button shows, in two lines; without them it shows its label. */
  readonly name?: string | undefined;
  readonly detail?: string | undefined;
  /** What it opens, for screen readers. */
  readonly label: string;
  /** Whether it is a button beside others. */
  readonly isPlain?: boolean;
  /** Whether it belongs to a person, whose letter it shows; otherwise that of the detail. It then stands at the bottom. */
  readonly isPersonal?: boolean;
  readonly children: ReactNode;
}

/** A list of actions and links beside its button. Arrow keys move in it; Escape and a click elsewhere close it. */
export function Menu({ name, detail, label, isPlain = false, isPersonal = false, children }: MenuProps) {
  const [open, setOpen] = useState(false);
  const ref = useRef<HTMLDivElement>(null);
  const opener = () => ref.current?.querySelector<HTMLElement>('[aria-expanded]');

  useEffect(() => {
    if (!open) return undefined;
    itemsOf(ref.current)[0]?.focus();
    const closeOutside = (event: Event) => {
      if (event.target instanceof Node && !ref.current?.contains(event.target)) setOpen(false);
    };
    document.addEventListener('pointerdown', closeOutside);
    return () => document.removeEventListener('pointerdown', closeOutside);
  }, [open]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (!open) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape') {
      setOpen(false);
      opener()?.focus();
    } else if (step !== undefined) {
      const all = itemsOf(ref.current);
      const at = all.findIndex(item => item === document.activeElement);
      all.at((at + step) % all.length)?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions
    <div className="menu" ref={ref} onKeyDown={onKeyDown}>
      <button
        type="button"
        className={isPlain ? 'button' : 'switcher'}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {!isPlain && (
          <>
            <span className={isPersonal ? 'avatar round' : 'avatar'} aria-hidden="true">
              {firstLetter(isPersonal ? name : detail)}
            </span>
            <span className="names">
              {[name, detail].map((line, at) => (
                <span key={at} className="truncate" dir="auto">
                  {line}
                </span>
              ))}
            </span>
          </>
        )}
        <span className={isPlain ? undefined : 'visually-hidden'}>{label}</span>
        {!isPersonal && <Icon name="chevron" />}
      </button>
      {open && (
        // eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions
        <div
          className={`menu-panel ${isPersonal ? 'up' : isPlain ? 'end' : ''}`}
          onClick={event => {
            if (!(event.target instanceof Element && event.target.closest('.menu-item'))) return;
            // A dialog that an item opens gives the focus back to what stays.
            opener()?.focus();
            setOpen(false);
          }}
        >
          {children}
        </div>
      )}
    </div>
  );
}

interface MenuChoiceProps {
  readonly chosen: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

/** One of several items of which one is chosen. */
export const MenuChoice = ({ chosen, onClick, children }: MenuChoiceProps) => (
  <button type="button" className="menu-item" onClick={onClick} aria-current={chosen}>
    <span className="grow truncate" dir="auto">
      {children}
    </span>
    {chosen && <Icon name="check" />}
  </button>
);

const itemsOf = (menu: HTMLElement | null): HTMLElement[] => [
  ...(menu?.querySelectorAll<HTMLElement>('.menu-item') ?? []),
];
