import { useEffect, useRef, useState, type ComponentProps, type KeyboardEvent, type ReactNode } from 'react';
import { Icon } from './icon.tsx';

interface MenuProps {
  /** Renders the button that opens it. */
  readonly button: (attributes: ComponentProps<'button'>) => ReactNode;
  readonly placement?: 'up' | 'down' | 'down end';
  readonly children: ReactNode;
}

/** A list of actions and links under a button. Arrow keys move in it; Escape and a click elsewhere close it. */
export function Menu({ button, placement = 'down', children }: MenuProps) {
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
      {button({ type: 'button', 'aria-expanded': open, onClick: () => setOpen(!open) })}
      {open && (
        // eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions
        <div
          className={`menu-panel ${placement}`}
          onClick={event => {
            if (event.target instanceof Element && event.target.closest('.menu-item')) setOpen(false);
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
