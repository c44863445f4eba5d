import { useId, type ReactNode } from 'react';

interface ChoiceProps {
  readonly title: string;
  readonly chosen: boolean;
  readonly onChoose: () => void;
  readonly children: ReactNode;
}

/** One of several ways to do something, with its consequences, as a part of a form. */
export function Choice({ title, chosen, onChoose, children }: ChoiceProps) {
  const [id, textId] = [useId(), useId()];
  return (
    <div className="check">
      <input type="radio" id={id} aria-describedby={textId} name="choice" checked={chosen} onChange={onChoose} />
      <div>
        <label htmlFor={id}>
          <strong>{title}</strong>
        </label>
        <div id={textId} className="muted">
          {children}
        </div>
      </div>
    </div>
  );
}
