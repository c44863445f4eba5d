import type { ReactNode } from 'react';
import { describeFailure } from '#api/failure.ts';
import { Notice } from './notice.tsx';
import { RequestId } from './request-id.tsx';

interface FormProps {
  readonly onSubmit: (fields: FormData) => void;
  readonly children: ReactNode;
}

export function Form({ onSubmit, children }: FormProps) {
  return (
    <form
      className="stack"
      onSubmit={event => {
        event.preventDefault();
        onSubmit(new FormData(event.currentTarget));
      }}
    >
      {children}
    </form>
  );
}

/** Returns a field's text without spaces around it. */
export const textOf = (fields: FormData, name: string): string => {
  const value = fields.get(name);
  return typeof value === 'string' ? value.trim() : '';
};

/** Returns a password as it was typed. */
export const passwordOf = (fields: FormData, name: string): string => {
  const value = fields.get(name);
  return typeof value === 'string' ? value : '';
};

/** Why the request of a form was refused. */
export function FormProblem({ error }: { readonly error: unknown }) {
  if (!error) return null;
  const { message, requestId } = describeFailure(error);
  return <RefusalNotice requestId={requestId}>{message}</RefusalNotice>;
}

interface RefusalNoticeProps {
  readonly requestId: string | undefined;
  readonly children: ReactNode;
}

/** Why a request was refused, with its id, which finds it in the logs. */
export const RefusalNotice = ({ requestId, children }: RefusalNoticeProps) => (
  <Notice tone="bad" role="alert">
    {children}
    <RequestId id={requestId} />
  </Notice>
);
