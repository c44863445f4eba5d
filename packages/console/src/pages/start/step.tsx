import type { ReactNode } from 'react';
import { Icon } from '#ui/icon.tsx';

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly done: boolean;
  /** The one to do next. */
  readonly current: boolean;
  readonly children: ReactNode;
}

export function Step({ number, title, done, current, children }: StepProps) {
  return (
    <li
      className={`card step ${done ? 'done' : ''} ${current ? 'current' : ''}`}
      aria-current={current ? 'step' : undefined}
    >
      <span className="step-mark">
        {done ? <Icon name="check" /> : number}
        <span className="visually-hidden">{done ? 'Done' : ''}</span>
      </span>
      <div className="stack-s">
        <h2>{title}</h2>
        {children}
      </div>
    </li>
  );
}
