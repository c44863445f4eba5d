import type { ComponentProps } from 'react';
import { Icon, type IconName } from './icon.tsx';

interface ButtonProps extends ComponentProps<'button'> {
  readonly kind?: 'plain' | 'primary' | 'danger' | 'quiet';
  readonly small?: boolean;
  readonly icon?: IconName;
  /** While true, it says so and does nothing. */
  readonly busy?: boolean;
}

export function Button({
  kind = 'plain',
  small = false,
  icon,
  busy = false,
  children,
  className = '',
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      className={`button ${kind} ${small ? 'small' : ''} ${className}`}
      aria-disabled={busy}
      onClick={busy ? event => event.preventDefault() : onClick}
      {...rest}
    >
      {icon && <Icon name={icon} />}
      {busy ? 'One moment…' : children}
    </button>
  );
}
