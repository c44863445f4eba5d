import type { ComponentProps, ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

interface NoticeProps extends ComponentProps<'div'> {
  readonly tone?: 'plain' | 'warn' | 'bad';
  readonly icon?: IconName;
  readonly children: ReactNode;
}

/** What the reader should know before the rest of a page or a form. */
export const Notice = ({
  tone = 'plain',
  icon = tone === 'plain' ? 'info' : 'warning',
  children,
  ...rest
}: NoticeProps) => (
  <div className={`notice ${tone}`} {...rest}>
    <Icon name={icon} />
    <div>{children}</div>
  </div>
);
