import { createContext, use, useState, type ReactNode } from 'react';
import { describeFailure } from '#api/failure.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { RequestId } from './request-id.tsx';

interface Toast {
  readonly id: number;
  readonly tone: 'good' | 'bad';
  readonly text: string;
  readonly requestId?: string | undefined;
}

interface Toasts {
  readonly done: (text: string) => void;
  /** Says what was not done, why, and under which request id. */
  readonly failed: (what: string, error: unknown) => void;
}

const Context = createContext<Toasts>({ done: () => {}, failed: () => {} });
const SHOWN_MS = 5_000;
let nextId = 0;

/** Short messages about what was done; those about failures stay until they are closed. */
export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const close = (id: number) => setToasts(all => all.filter(toast => toast.id !== id));
  // Made once, so that a new toast renders none of those who may show one.
  const [value] = useState<Toasts>(() => {
    const show = (toast: Omit<Toast, 'id'>) => {
      nextId += 1;
      const id = nextId;
      setToasts(all => [...all.slice(-3), { id, ...toast }]);
      if (toast.tone === 'good') setTimeout(() => close(id), SHOWN_MS);
    };
    return {
      done: text => show({ tone: 'good', text }),
      failed: (what, error) => {
        const { message, requestId } = describeFailure(error);
        show({ tone: 'bad', text: `${what} ${message}`, requestId });
      },
    };
  });
  return (
    <Context value={value}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {toasts.map(({ id, tone, text, requestId }) => (
          <div key={id} className={`toast ${tone}`}>
            <Icon name={tone === 'good' ? 'check' : 'warning'} />
            <div className="grow">
              {text}
              <RequestId id={requestId} />
            </div>
            <Button kind="quiet" small icon="close" aria-label="Close the message" onClick={() => close(id)} />
          </div>
        ))}
      </div>
    </Context>
  );
}

export const useToasts = (): Toasts => use(Context);
